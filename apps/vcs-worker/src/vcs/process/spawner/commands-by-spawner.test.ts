import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { setCurrentSpawner } from './current-spawner.ts';
import { Spawner } from './spawner.ts';

let directory: string;
let spawner: Spawner;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-spawner-'));
  spawner = new Spawner(join(directory, 'socket'));
  await spawner.start();
  setCurrentSpawner(spawner);
});
afterAll(async () => {
  setCurrentSpawner(undefined);
  spawner.close();
  await rm(directory, { recursive: true, force: true });
});

// Commands of a spawner do what those do that this process has started.
await import('../run-command.test.ts');
await import('../stream-command.test.ts');
