import { randomInt } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type Damage = 'flipped' | 'emptied' | 'halved' | 'removed';

/** The seed to repeat a run with, or a new one. */
export function damageSeed(): number {
  return Number(process.env['TRUNKLINE_TEST_SEED'] ?? randomInt(2 ** 31));
}

function drawsOf(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

async function filesMatching(root: string, pattern: RegExp): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return paths.filter((path) => pattern.test(path.slice(root.length + 1))).toSorted();
}

/** Other bytes in the place of a file, which may be linked or read-only. */
async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  await rm(path);
  await writeFile(path, bytes);
}

const flips = 50;

/** Damages files whose paths match: fifty bytes of them all, or one of them as a whole. */
export async function damageFiles(root: string, pattern: RegExp, damage: Damage, seed: number): Promise<void> {
  const below = drawsOf(seed);
  const paths = await filesMatching(root, pattern);
  const pick = () => {
    const path = paths[below(paths.length)];
    if (path === undefined) throw new Error(`nothing matches ${String(pattern)}`);
    return path;
  };
  if (damage === 'flipped') {
    for (let flip = 0; flip < flips; flip += 1) {
      const path = pick();
      const bytes = await readFile(path);
      const at = below(bytes.length);
      if (bytes.length > 0) bytes[at] = (bytes[at] ?? 0) ^ (1 + below(255));
      await replaceFile(path, bytes);
    }
    return;
  }
  const path = pick();
  const bytes = await readFile(path);
  if (damage === 'removed') await rm(path);
  else await replaceFile(path, bytes.subarray(0, damage === 'emptied' ? 0 : bytes.length >> 1));
}
