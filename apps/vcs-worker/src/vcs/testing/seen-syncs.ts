import { readlinkSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { vi } from 'vitest';

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
