import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from './client.ts';
import { eventually } from './eventually.ts';

const unavailable = 'Service is temporarily unavailable, try again later';
const busy = 'Service is busy, try again later';
const unknownOutcome = /^The outcome of operation [0-9a-f-]{36} is not known yet, ask get_operation$/;

/** Clients that read, create and change until they are stopped, whatever becomes of a server. */
export interface OutageLoad {
  /** Names of the repositories whose creation was acknowledged. */
  readonly made: readonly string[];
  /** Number of calls by their error; `answered` without one. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** Returns the errors that no caller is to see. */
  findStrange(): string[];
  stop(): Promise<void>;
}

/** Starts six clients on the repositories `read`, which has a file, and `written`, and one for each further act. */
export function startOutageLoad(
  admin: Client,
  prefix: string,
  acts: readonly (() => Promise<unknown>)[] = [],
): OutageLoad {
  const made: string[] = [];
  const outcomes = new Map<string, number>();
  const stopped = new AbortController();
  let count = 0;
  const calls: ((nth: number) => Promise<string | null>)[] = [
    async () => (await admin.call('get_repo', { repoid: 'read' })).error,
    async () => (await admin.call('get_repo_nodes', { repoid: 'read', revision: 'tip', root_path: '/' })).error,
    async (nth) => {
      const name = `${prefix}-${nth}`;
      const { error } = await admin.call('create_repo', { repo_name: name, repo_type: 'git' });
      if (error === null) made.push(name);
      return error;
    },
    async (nth) => (await admin.call('update_repo', { repoid: 'written', description: `${nth}` })).error,
  ];
  const call = async (one: (typeof calls)[number] | undefined) => {
    count += 1;
    const error = (await one?.(count)) ?? 'answered';
    outcomes.set(error, (outcomes.get(error) ?? 0) + 1);
  };
  const repeat = async (act: () => Promise<unknown>) => {
    while (!stopped.signal.aborted) {
      await act();
      // Calls that fail at once would take all of the processor.
      await wait(20);
    }
  };
  const clients = [...[0, 1, 2, 3, 0, 2].map((index) => () => call(calls[index])), ...acts].map(repeat);
  return {
    made,
    outcomes,
    findStrange: () =>
      [...outcomes.keys()].filter(
        (error) => !['answered', unavailable, busy].includes(error) && !unknownOutcome.test(error),
      ),
    async stop() {
      stopped.abort();
      await Promise.all(clients);
    },
  };
}

/** Waits until further calls of a load are answered. */
export async function goesOn({ outcomes }: OutageLoad): Promise<void> {
  const answered = async () => outcomes.get('answered') ?? 0;
  const before = await answered();
  await eventually(answered, (now) => now > before + 10);
}
