import type { ReplyEnvelope } from '@trunkline/contracts';
import * as v from 'valibot';
import type { Client } from './client.ts';
import { eventually } from './eventually.ts';
import { seededRandom } from './random.ts';
import { sampleCall, type Fixture, type LoadCall } from './load-calls.ts';

export interface LoadResult {
  readonly call: LoadCall;
  readonly invoked: number;
  /** Time of the answer; Infinity when it is not known when or whether the call ended. */
  readonly responded: number;
  readonly error: string | null;
}

export interface Load {
  readonly clients: readonly Client[];
  readonly fixture: Fixture;
  readonly calls: number;
  /** Returns true when no further call shall begin, even before `calls` have begun. */
  readonly isOver?: () => boolean;
  readonly seed: number;
  /** Actions by the number of begun calls at which they start. */
  readonly events?: ReadonlyMap<number, () => Promise<unknown>>;
  /** Makes a call; null when its client gave up waiting. A plain call of the client when absent. */
  readonly ask?: (client: Client, call: LoadCall) => Promise<ReplyEnvelope | null>;
}

const unknownOutcome = /^The outcome of operation (\S+) is not known yet, ask get_operation$/;
const Seen = v.union([
  v.pipe(
    v.object({ repo: v.object({ repo_id: v.number() }) }),
    v.transform(({ repo }) => repo.repo_id),
  ),
  v.pipe(
    v.object({ repo_id: v.number() }),
    v.transform(({ repo_id }) => repo_id),
  ),
]);

/** Waits for an operation; returns its outcome, or null when the call never began it. */
async function askOperation(client: Client, operationId: string): Promise<{ error: string | null } | null> {
  const ask = () => client.call('wait_operation', { operation_id: operationId, timeout: 5 });
  const Ended = v.object({ state: v.picklist(['running', 'done', 'failed']), error: v.nullable(v.string()) });
  const missing = `operation \`${operationId}\` does not exist`;
  const isAnswered = ({ result, error }: ReplyEnvelope) =>
    error === missing || (error === null && v.parse(Ended, result).state !== 'running');
  // A look at a worker that is killed meanwhile takes half a minute.
  const reply = await eventually(ask, isAnswered, 90);
  return reply.error === null ? { error: v.parse(Ended, reply.result).error } : null;
}

async function makeCall(client: Client, call: LoadCall, { fixture, ask }: Load): Promise<LoadResult> {
  const invoked = performance.now();
  const reply = await (ask ? ask(client, call) : client.call(call.method, call.args));
  if (reply === null) return { call, invoked, responded: Infinity, error: 'given up' };
  const { result, error } = reply;
  const operationId = error === null ? undefined : unknownOutcome.exec(error)?.[1];
  if (operationId !== undefined) {
    const ended = await askOperation(client, operationId);
    const responded = ended ? performance.now() : Infinity;
    return { call, invoked, responded, error: ended ? ended.error : error };
  }
  const seen = v.safeParse(Seen, result);
  if (seen.success && !fixture.ids.includes(seen.output)) fixture.ids.push(seen.output);
  return { call, invoked, responded: performance.now(), error };
}

/** Makes the calls of all clients in parallel; each client samples its own sequence from the seed. */
export async function runLoad(load: Load): Promise<LoadResult[]> {
  const { clients, fixture, calls, isOver, seed, events } = load;
  const results: LoadResult[] = [];
  const happening: Promise<unknown>[] = [];
  let begun = 0;
  const goesOn = () => begun < calls && !isOver?.();
  await Promise.all(
    clients.map(async (client, index) => {
      const random = seededRandom(seed, index);
      while (goesOn()) {
        begun += 1;
        const event = events?.get(begun);
        if (event) happening.push(event());
        results.push(await makeCall(client, sampleCall(fixture, random), load));
      }
    }),
  );
  await Promise.all(happening);
  return results;
}
