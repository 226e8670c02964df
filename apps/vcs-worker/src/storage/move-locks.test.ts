import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { moveLocks, type MoveLocks } from './move-locks.ts';

let directory: string;
let locks: MoveLocks;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-locks-'));
  locks = moveLocks(directory);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('moveLocks', () => {
  it('gives the lock of an operation to one after the other, and leaves no file', async () => {
    const events: string[] = [];
    const hold = async (name: string) => {
      const release = await locks.acquire('one');
      events.push(`${name} began`);
      await locks.acquire('other').then((releaseOther) => releaseOther());
      events.push(`${name} ended`);
      await release();
    };
    await Promise.all(['a', 'b', 'c'].map(hold));
    for (const index of [0, 2, 4]) expect(events[index + 1]).toBe(events[index]?.replace('began', 'ended'));
    expect(await readdir(directory)).toEqual([]);
  });

  it('C7 an operation whose lock is held is not free', async () => {
    await locks.requireFree('one');
    const release = await locks.acquire('one');
    await expect(moveLocks(directory, 0.01).requireFree('one')).rejects.toThrow(
      'an earlier attempt at operation one may still move',
    );
    await release();
    await locks.requireFree('one');
    expect(await readdir(directory)).toEqual([]);
  });

  it('lists and removes what a killed process has left', async () => {
    const id = '0a1b2c3d-0000-4000-8000-000000000000';
    for (const name of [id, 'lost+found']) await writeFile(join(directory, name), '');
    expect(await locks.operations()).toEqual([id]);
    await locks.remove(id);
    expect(await locks.operations()).toEqual([]);
  });
});
