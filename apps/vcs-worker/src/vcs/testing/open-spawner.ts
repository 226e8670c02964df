import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { Spawner } from '../process/spawner/spawner.ts';

export interface OpenSpawner {
  /** A temporary directory, in which the spawner's socket is. */
  readonly directory: string;
  readonly spawner: Spawner;
  close(): Promise<void>;
}

/** Starts a spawner for the tests of a file. */
export async function openSpawner(): Promise<OpenSpawner> {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-spawner-'));
  const spawner = new Spawner(join(directory, 'socket'));
  await spawner.start();
  await vi.waitFor(() => expect(spawner.isReady).toBe(true), { timeout: 20_000 });
  return {
    directory,
    spawner,
    async close() {
      spawner.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
