import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMarker } from '@trunkline/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimDirectory } from './claim-storages.ts';

const marker = '.trunkline-storage';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'trunkline-marker-'));
});
afterEach(() => rm(root, { recursive: true }));

const readId = async () => (await readFile(join(root, marker), 'utf8')).trim();

/** Reads the marker, and has a storage with another id claim the directory after the first look. */
function readBeforeClaimOf(id: string): typeof readMarker {
  let looks = 0;
  return async (path) => {
    const found = await readMarker(path);
    looks += 1;
    if (looks === 1) await writeFile(join(path, marker), `${id}\n`);
    return found;
  };
}

describe('C5 a directory that is claimed just after it was found free', () => {
  it('by another database, is refused, and stays with that one', async () => {
    const claim = claimDirectory(root, 'own', readBeforeClaimOf('other'));
    await expect(claim).rejects.toThrow('is the storage of another database (its id is other)');
    expect(await readId()).toBe('other');
    expect(await readdir(root)).toEqual([marker]);
  });

  it('by the same database, is its own', async () => {
    await claimDirectory(root, 'own', readBeforeClaimOf('own'));
    await claimDirectory(root, 'own');
    expect(await readId()).toBe('own');
    expect(await readdir(root)).toEqual([marker]);
  });
});
