import type { Caller } from '@trunkline/contracts';
import { connectBus, createLogger } from '@trunkline/runtime';
import postgres from 'postgres';
import { systemClock } from '../../apps/gateway/src/clock.ts';
import { createDispatch } from '../../apps/gateway/src/dispatch/dispatch.ts';
import { workerCalls, type WorkerCalls } from '../../apps/gateway/src/web/worker/worker-calls.ts';
import type { Cluster } from './cluster.ts';

export interface WorkerAsker {
  /** What pages of a gateway ask for a user, or for nobody in particular. */
  as(username: string | null): Promise<WorkerCalls>;
  close(): Promise<void>;
}

/** Asks the workers of a cluster as the gateway does for its pages. */
export async function openWorkerAsker({ nats, databaseUrl }: Cluster): Promise<WorkerAsker> {
  const logger = createLogger({ role: 'test', level: 'silent' });
  const bus = await connectBus({ url: nats.url, name: 'test', logger });
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  const dispatch = createDispatch({ bus, transferTimeoutMs: 30_000, clock: systemClock });
  return {
    async as(username) {
      const [row] = await sql`select u.id, (select min(id) from api_keys where user_id = u.id) as key_id
        from users u where username = ${username ?? 'default'}`;
      const credential: Caller['credential'] =
        username === null ? { kind: 'anonymous' } : { kind: 'key', id: Number(row?.['key_id']) };
      return workerCalls(dispatch, { userId: Number(row?.['id']), ip: '127.0.0.1', credential });
    },
    async close() {
      await bus.close();
      await sql.end();
    },
  };
}
