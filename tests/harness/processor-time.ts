// Set-up file of all projects: notes the processor time of each test file for `run-record.ts`.
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Processor time of a test file in seconds: that of its worker and of the processes that it started and has ended. */
    processorSeconds?: number;
  }
}

/** Clock ticks in a second, which Linux has as a constant for all programs. */
const ticksPerSecond = 100;
const statPath = '/proc/self/stat';

/** Returns the processor time of this process and its ended children in seconds; without `/proc` that of this process. */
function processorSeconds(): number {
  if (!existsSync(statPath)) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  // The name of the program, in brackets, may have blanks. utime, stime, cutime and cstime are the fields 14 to 17.
  const fields = readFileSync(statPath, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
}

let before = 0;
beforeAll(() => {
  before = processorSeconds();
});
// Vitest takes the names of fixtures from the pattern of the first argument.
// oxlint-disable-next-line no-empty-pattern
afterAll(({}, file) => {
  file.meta.processorSeconds = Math.round((processorSeconds() - before) * 10) / 10;
});
