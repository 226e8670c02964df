import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { takeInstanceLock, type InstanceLock } from './instance-lock.ts';

let dir = '';
const taken: InstanceLock[] = [];

beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'trunkline-lock-'))));
afterEach(() => {
  for (const lock of taken.splice(0)) lock.release();
  rmSync(dir, { recursive: true });
});

async function take(path: string, name: string): Promise<InstanceLock> {
  const lock = await takeInstanceLock(path, () => name);
  taken.push(lock);
  return lock;
}

it('is held by one taker, whose description the others receive', async () => {
  expect((await take(dir, 'first')).heldBy).toBeNull();
  expect((await take(dir, 'second')).heldBy).toBe('first');
  const [third, fourth] = await Promise.all([take(dir, 'third'), take(dir, 'fourth')]);
  expect([third.heldBy, fourth.heldBy]).toEqual(['first', 'first']);
});

it('is kept by a holder that cannot describe itself, whoever asks', async () => {
  const failing = () => {
    throw new Error('thrown by the test');
  };
  taken.push(await takeInstanceLock(dir, failing));
  expect((await take(dir, 'second')).heldBy).toBe('');
  expect((await take(dir, 'third')).heldBy).toBe('');
});

it('reads a short description alone, of a single line', async () => {
  await take(dir, `first\u001b[2J\n${'x'.repeat(1_000_000)}`);
  const { heldBy } = await take(dir, 'second');
  expect(heldBy).toHaveLength(500);
  expect(heldBy).toMatch(/^first \[2J x+$/);
});

it('locks the directory, whatever the path to it', async () => {
  const alias = `${dir}-alias`;
  symlinkSync(dir, alias);
  try {
    await take(dir, 'first');
    expect((await take(alias, 'second')).heldBy).toBe('first');
  } finally {
    rmSync(alias);
  }
});

it('is free again after its release', async () => {
  (await take(dir, 'first')).release();
  expect((await take(dir, 'second')).heldBy).toBeNull();
});
