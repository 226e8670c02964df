import { afterAll, beforeAll } from 'vitest';
import { openSpawner, type OpenSpawner } from '../../testing/open-spawner.ts';
import { setCurrentSpawner } from './current-spawner.ts';

let opened: OpenSpawner;

beforeAll(async () => {
  opened = await openSpawner();
  setCurrentSpawner(opened.spawner);
});
afterAll(async () => {
  setCurrentSpawner(undefined);
  await opened.close();
});

// Commands of a spawner do what those do that this process has started.
await import('../run-command.test.ts');
await import('../stream-command.test.ts');
