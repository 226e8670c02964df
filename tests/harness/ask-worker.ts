import type { Caller } from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import { createCallMetrics, DataClient } from '@trunkline/runtime';
import postgres from 'postgres';
import { systemClock } from '../../apps/gateway/src/clock.ts';
import { createDispatch } from '../../apps/gateway/src/dispatch/dispatch.ts';
import { createDispatchMetrics } from '../../apps/gateway/src/dispatch/dispatch-metrics.ts';
import { createOpenAnswer } from '../../apps/gateway/src/dispatch/answer.ts';
import { RepositoryHints } from '../../apps/gateway/src/dispatch/repository-hints.ts';
import { workerCalls, type WorkerCalls } from '../../apps/gateway/src/web/worker-calls.ts';
import type { Cluster } from './cluster.ts';
import { connectGatewayBus } from './connect-gateway-bus.ts';
import { routeFor } from './storage-for.ts';

export interface WorkerAsker {
  /** Returns the calls that pages of a gateway make, as this user from this address; null is the anonymous caller. */
  as(username: string | null, ip?: string): Promise<WorkerCalls>;
  close(): Promise<void>;
}

/** Connects to a cluster as a gateway, to call its workers as the pages do. */
export async function openWorkerAsker(cluster: Cluster): Promise<WorkerAsker> {
  const bus = await connectGatewayBus(cluster);
  const sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  const vault = createSecretVault(cluster.secret);
  const dataClient = new DataClient({ networks: ['127.0.0.0/8'], ca: null, vault });
  const dispatch = createDispatch({
    bus,
    openAnswer: createOpenAnswer(dataClient),
    vault,
    transferTimeoutMs: 30_000,
    endWatch: { watch: () => () => {} },
    clock: systemClock,
    routeOf: ({ args }) => routeFor(sql, args),
    hints: new RepositoryHints(),
    watchRead: () => () => {},
    metrics: createDispatchMetrics(createCallMetrics('gateway').registry),
  });
  return {
    async as(username, ip = '127.0.0.1') {
      const [row] = await sql`select u.id, (select min(id) from api_keys where user_id = u.id) as key_id
        from users u where username = ${username ?? 'default'}`;
      const credential: Caller['credential'] =
        username === null ? { kind: 'anonymous' } : { kind: 'key', id: Number(row?.['key_id']) };
      const abort = new AbortController();
      return workerCalls(dispatch, { userId: Number(row?.['id']), ip, credential }, {}, abort.signal);
    },
    async close() {
      await bus.close();
      dataClient.close();
      await sql.end();
    },
  };
}
