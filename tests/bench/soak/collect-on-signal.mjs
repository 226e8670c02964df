import { renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Preloaded into the gateways and workers of a soak: SIGUSR2 has the process collect its garbage, and then write what is
// still in use to a file beside its directory for temporary files.
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
/** What holds memory outside of the heap lets go of it after the collection that has found it unused. */
const collections = 3;
const pauseMs = 200;

async function collectAndWrite() {
  for (let count = 0; count < collections; count += 1) {
    collect();
    await wait(pauseMs);
  }
  const path = join(tmpdir(), '..', `memory-${process.pid}.json`);
  writeFileSync(`${path}.new`, JSON.stringify(process.memoryUsage()));
  renameSync(`${path}.new`, path);
}
process.on('SIGUSR2', () => void collectAndWrite());
