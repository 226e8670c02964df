import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';

const entry = fileURLToPath(new URL('main.mjs', import.meta.url));
const Stopped = v.object({ counts: v.record(v.string(), v.number()) });

/** An abuser of main.mjs and its settings. */
export type AbuserEntry = Readonly<{ name: string } & Record<string, unknown>>;

export interface Abusers {
  /** Process id, for figures of the process. */
  readonly pid: number;
  /** Ends the abusers and returns the number of their requests by abuser and outcome. */
  stop(): Promise<Readonly<Record<string, number>>>;
}

/** Starts abusers in a process of their own. */
export async function startAbusers(entries: readonly AbuserEntry[]): Promise<Abusers> {
  const env = { PATH: process.env['PATH'], ABUSERS: JSON.stringify(entries) };
  // In a session of its own, whose share of the cores is not that of the measuring process.
  const child = fork(entry, { env, detached: true });
  const ended = once(child, 'exit');
  const died = ended.then(([code]) => Promise.reject(new Error(`the abusers ended with ${String(code)}`)));
  died.catch(() => {});
  await Promise.race([once(child, 'message'), died]);
  return {
    pid: child.pid ?? 0,
    async stop() {
      child.send('stop');
      const [message]: unknown[] = await Promise.race([once(child, 'message'), died]);
      await ended;
      return v.parse(Stopped, message).counts;
    },
  };
}
