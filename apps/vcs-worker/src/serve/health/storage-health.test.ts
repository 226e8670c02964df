import { mkdir, mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@trunkline/runtime';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchStorage } from './storage-health.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'trunkline-health-'));
  await mkdir(join(root, '@staging'));
  await writeFile(join(root, '.trunkline-storage'), 'mine\n');
});
afterEach(() => rm(root, { recursive: true, force: true }));

function watch(changed: Partial<Parameters<typeof watchStorage>[0]> = {}) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ role: 'test', level: 'info', destination });
  return {
    lines,
    ...watchStorage({ root, id: 'mine', name: 'default', freeBytesMin: 0, probeEveryMs: 0, logger, ...changed }),
  };
}

describe('a probe that is late', () => {
  afterEach(() => vi.useRealTimers());

  it('C8 does not replace what was found since, and the next one counts again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let release = () => {};
    const hung = new Promise<void>((resolve) => (release = resolve));
    const hanging = vi.fn(async (path: string) => {
      await hung;
      return statfs(path);
    });
    const watched = watch({ statfs: hanging });
    const found = watched.probe();
    await vi.waitFor(() => expect(hanging).toHaveBeenCalled(), { timeout: 20_000 });
    vi.advanceTimersByTime(5_000);
    expect(await found).toMatchObject({ state: 'failing' });
    const joined = watched.probe();
    release();
    expect(await joined).toMatchObject({ state: 'failing' });
    expect(await watched.probe()).toMatchObject({ state: 'ok' });
  });
});

describe('watchStorage', () => {
  it('C8 reports a healthy storage as ok, and leaves nothing in it', async () => {
    const { probe, lines } = watch();
    const { state, freeBytes, totalBytes } = await probe();
    expect(state).toBe('ok');
    expect(freeBytes).toBeLessThanOrEqual(Number(totalBytes));
    expect(await readdir(join(root, '@staging'))).toEqual([]);
    expect(lines).toEqual([]);
  });

  it('C8 reports a storage with less than the required free space as full', async () => {
    expect(await watch({ freeBytesMin: Number.MAX_SAFE_INTEGER }).probe()).toMatchObject({ state: 'full' });
  });

  it('C8 reports a storage with less than a hundredth of its size as full, unless the limits are off', async () => {
    const sizes = async (path: string) => Object.assign(await statfs(path), { bsize: 1, blocks: 1_000, bavail: 9 });
    expect(await watch({ statfs: sizes, freeBytesMin: 1 }).probe()).toMatchObject({ state: 'full' });
    expect(await watch({ statfs: sizes, freeBytesMin: 0 }).probe()).toMatchObject({ state: 'ok' });
  });

  it('C8 has space for no more than leaves it its free space, by the sizes now', async () => {
    let bavail = 100;
    const statfs = async () => ({ type: 0, bsize: 1_000, blocks: 1_000, bfree: 0, bavail, files: 0, ffree: 0 });
    const { hasSpaceFor } = watch({ statfs, freeBytesMin: 40_000 });
    expect([await hasSpaceFor(60_000), await hasSpaceFor(60_001)]).toEqual([true, false]);
    bavail = 50;
    expect([await hasSpaceFor(10_000), await hasSpaceFor(10_001)]).toEqual([true, false]);
  });

  it('C8 reports a storage in which no file can be created as failing', async () => {
    await rm(join(root, '@staging'), { recursive: true });
    expect(await watch().probe()).toMatchObject({ state: 'failing' });
  });

  it('C5 reports a missing or foreign marker, and writes nothing there', async () => {
    await writeFile(join(root, '.trunkline-storage'), 'another\n');
    expect(await watch().probe()).toMatchObject({ state: 'foreign' });
    await rm(join(root, '.trunkline-storage'));
    expect(await watch().probe()).toMatchObject({ state: 'no-marker' });
    await rm(root, { recursive: true });
    expect(await watch().probe()).toMatchObject({ state: 'no-marker', freeBytes: null, totalBytes: null });
  });

  it('logs each change of the state', async () => {
    const { probe, lines } = watch();
    await probe();
    await rm(join(root, '.trunkline-storage'));
    await Promise.all([probe(), probe()]);
    await probe();
    await writeFile(join(root, '.trunkline-storage'), 'mine\n');
    await probe();
    expect(lines.map((line) => /"state":"([^"]+)"/.exec(line)?.[1])).toEqual(['no-marker', 'ok']);
  });

  it('does not probe again within the interval', async () => {
    const { probe } = watch({ probeEveryMs: 60_000 });
    await probe();
    await rm(join(root, '.trunkline-storage'));
    expect(await probe()).toMatchObject({ state: 'ok' });
  });
});
