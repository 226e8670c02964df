import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';

export type DamageKind = 'flipped' | 'emptied' | 'halved' | 'removed';

/** One change to a file; the file and the offset are taken modulo the number of files and bytes. */
interface Change {
  readonly file: number;
  readonly offset: number;
  /** The bits to flip, 1 to 255. */
  readonly bits: number;
}

/** Changes of one kind to the files of a repository. Flips shrink to the fewest that still make a test fail. */
export interface Damage {
  readonly kind: DamageKind;
  readonly changes: readonly Change[];
}

const change = fc.record({ file: fc.nat(), offset: fc.nat(), bits: fc.integer({ min: 1, max: 255 }) });

export function damageOf(kind: DamageKind): fc.Arbitrary<Damage> {
  const size =
    kind === 'flipped' ? { minLength: 1, maxLength: 50, size: 'max' as const } : { minLength: 1, maxLength: 1 };
  // Without bias: fast-check prefers small numbers, and would damage the first bytes of the first files only.
  return fc.noBias(fc.record({ kind: fc.constant(kind), changes: fc.array(change, size) }));
}

async function filesMatching(root: string, pattern: RegExp): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return paths.filter((path) => pattern.test(path.slice(root.length + 1))).toSorted();
}

/** Replaces a file, which may be a hard link or read-only, by one with other content. */
async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  await rm(path);
  await writeFile(path, bytes);
}

function damaged(bytes: Buffer, kind: DamageKind, { offset, bits }: Change): Buffer {
  if (kind !== 'flipped') return bytes.subarray(0, kind === 'emptied' ? 0 : bytes.length >> 1);
  const at = offset % bytes.length;
  if (bytes.length > 0) bytes[at] = (bytes[at] ?? 0) ^ bits;
  return bytes;
}

/** Damages files whose paths below `root` match the pattern. */
export async function damageFiles(root: string, pattern: RegExp, { kind, changes }: Damage): Promise<void> {
  const paths = await filesMatching(root, pattern);
  for (const change of changes) {
    const path = paths[change.file % paths.length];
    if (path === undefined) throw new Error(`no file matches ${String(pattern)}`);
    if (kind === 'removed') await rm(path);
    else await replaceFile(path, damaged(await readFile(path), kind, change));
  }
}
