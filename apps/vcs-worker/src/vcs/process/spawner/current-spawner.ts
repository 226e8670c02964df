import type { Spawner } from './spawner.ts';

let current: Spawner | undefined;

/** The spawner of this process; without one, commands are started by this process itself. */
export function currentSpawner(): Spawner | undefined {
  return current;
}

export function setCurrentSpawner(spawner: Spawner | undefined): void {
  current = spawner;
}
