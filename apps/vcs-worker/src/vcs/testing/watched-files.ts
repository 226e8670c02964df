import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readlinkSync } from 'node:fs';
import { vi } from 'vitest';

/** Returns the times at which the files below a directory were changed, by their paths. */
async function timesBelow(root: string): Promise<ReadonlyMap<string, bigint>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const times = paths.map(async (path) => [path, (await stat(path, { bigint: true })).ctimeNs] as const);
  return new Map(await Promise.all(times));
}

/** Returns the files below a directory that `act` makes or changes. */
export async function filesChangedBy(root: string, act: () => Promise<unknown>): Promise<readonly string[]> {
  const before = await timesBelow(root);
  await act();
  return [...(await timesBelow(root))].flatMap(([path, time]) => (before.get(path) === time ? [] : [path]));
}

/** Returns the paths that this process syncs while `act` runs. */
export async function syncsDuring(act: () => Promise<unknown>): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  const handle = await open('/dev/null');
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  await handle.close();
  const spy = vi.spyOn(prototype, 'sync').mockImplementation(async function sync(this: FileHandle) {
    seen.add(readlinkSync(`/proc/self/fd/${this.fd}`));
    await this.datasync();
  });
  try {
    await act();
  } finally {
    spy.mockRestore();
  }
  return seen;
}
