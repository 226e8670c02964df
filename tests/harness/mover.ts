import type { ReplyEnvelope } from '@trunkline/contracts';
import type { Sql } from 'postgres';
import type { LoadCall } from './load-calls.ts';
import type { Random } from './random.ts';

export interface Mover {
  /** Ends after the move that is being made; returns the number of moves by outcome. */
  stop(): Promise<ReadonlyMap<string, number>>;
}

/** Returns an error text without what is different in each: names and ids. */
function outcomeOf({ error }: ReplyEnvelope): string {
  return error === null ? 'moved' : error.replace(/`[^`]*`/g, '`…`').replace(/[0-9a-f-]{36}/, '…');
}

/** Moves one repository after the other to another storage, both sampled at random. `ask` returns null for a call given up. */
export function startMover(
  sql: Sql,
  ask: (call: LoadCall) => Promise<ReplyEnvelope | null>,
  storages: readonly string[],
  random: Random,
): Mover {
  const stopping = new AbortController();
  const outcomes = new Map<string, number>();
  const moveOne = async () => {
    const rows = await sql<{ name: string; storage: string }[]>`
      select r.name, s.name as storage from repositories r join storages s on s.id = r.storage_id
        where r.state = 'ready' order by r.name`;
    const sampled = rows[random.below(Math.max(1, rows.length))];
    const others = storages.filter((storage) => storage !== sampled?.storage);
    const storage = others[random.below(Math.max(1, others.length))];
    if (!sampled || storage === undefined) return;
    const args = { repoid: sampled.name, storage, family: random.below(4) === 0 };
    const reply = await ask({ method: 'move_repo', args, refusals: [] });
    const outcome = reply ? outcomeOf(reply) : 'given up';
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  };
  const move = async () => {
    while (!stopping.signal.aborted) await moveOne();
  };
  const moving = move();
  return {
    async stop() {
      stopping.abort();
      await moving;
      return outcomes;
    },
  };
}
