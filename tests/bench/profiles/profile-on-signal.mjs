import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';

// Preloaded into a gateway or worker: SIGUSR2 begins a profile of its main thread, and the next one writes it to a file.
const directory = process.env.PROFILES_DIRECTORY ?? '';
const intervalUs = 200;
let session = null;
let written = 0;

process.on('SIGUSR2', () => {
  if (session === null) {
    session = new Session();
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: intervalUs });
    session.post('Profiler.start');
    return;
  }
  const ending = session;
  session = null;
  ending.post('Profiler.stop', (error, result) => {
    if (error) throw error;
    const path = join(directory, `${process.pid}-${written}.cpuprofile`);
    writeFileSync(`${path}.new`, JSON.stringify(result.profile));
    renameSync(`${path}.new`, path);
    written += 1;
    ending.disconnect();
  });
});
