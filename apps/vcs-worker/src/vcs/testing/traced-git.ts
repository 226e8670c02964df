import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { gitCommand } from './tools.ts';

const Start = v.object({ event: v.literal('start'), sid: v.string(), argv: v.array(v.string()) });
/** How often a process has synced a file; git 2.40 and later tell it as a counter. */
const Synced = v.union([
  v.object({ event: v.literal('data'), sid: v.string(), key: v.literal('fsync/hardware-flush'), value: v.string() }),
  v.object({ event: v.literal('counter'), sid: v.string(), name: v.literal('hardware-flush'), count: v.number() }),
]);

export interface TracedGit {
  readonly command: readonly string[];
  /** Returns how many files commands of git with this name have synced by themselves, without their children. */
  syncsOf(name: string): Promise<number>;
}

/** Makes a script that starts git and notes what it syncs, in a directory that is there. */
export async function traceGit(directory: string): Promise<TracedGit> {
  const [script, trace] = [join(directory, 'git'), join(directory, 'trace')];
  const words = gitCommand.map((word) => `'${word}'`).join(' ');
  await writeFile(script, `#!/bin/sh\nGIT_TRACE2_EVENT='${trace}' exec ${words} "$@"\n`, { mode: 0o755 });
  return {
    command: [script],
    async syncsOf(name) {
      const lines = (await readFile(trace, 'utf8')).split('\n').filter(Boolean);
      const events = lines.map((line): unknown => JSON.parse(line));
      const ofCommand = new Set(
        events.flatMap((event) => (v.is(Start, event) && event.argv.includes(name) ? [event.sid] : [])),
      );
      let synced = 0;
      for (const event of events) {
        if (!v.is(Synced, event) || !ofCommand.has(event.sid)) continue;
        synced += event.event === 'data' ? Number(event.value) : event.count;
      }
      return synced;
    },
  };
}
