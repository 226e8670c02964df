import type { Cluster } from './cluster.ts';
import { startCuttableProxy } from './cuttable-proxy.ts';
import { eventually } from './eventually.ts';
import { readReadiness } from './readiness.ts';

type Worker = Cluster['workers'][number];

export interface FreezableWorkers {
  start(env?: Record<string, string>): Promise<Worker>;
  /** Starts a worker whose connection to the bus can be cut, since the bus would deliver calls to it when it is frozen. */
  startFreezable(env?: Record<string, string>): Promise<Worker>;
  freeze(worker: Worker): void;
  /** Cuts the connection of the freezable worker to the bus. */
  cutOff(): void;
  thaw(worker: Worker): void;
  /** Kills the freezable worker, and returns when its connection to the bus has ended: later calls go to others. */
  kill(worker: Worker): Promise<void>;
  /** Kills all workers that were started here. */
  close(): Promise<void>;
}

export async function freezableWorkers(cluster: Cluster): Promise<FreezableWorkers> {
  const workers: Worker[] = [];
  const busLink = await startCuttableProxy(cluster.nats.workerUrl);
  const start = async (env: Record<string, string> = {}): Promise<Worker> => {
    const worker = await cluster.startWorker(env);
    workers.push(worker);
    const look = () => readReadiness(cluster.baseUrl);
    await eventually(look, ({ missing, unserved }) => missing.length === 0 && unserved?.length === 0);
    return worker;
  };
  return {
    start,
    startFreezable: (env) => start({ ...env, TRUNKLINE_NATS_URL: busLink.url }),
    freeze(worker) {
      process.kill(worker.pid, 'SIGSTOP');
      busLink.cut();
    },
    cutOff: () => busLink.cut(),
    thaw: (worker) => process.kill(worker.pid, 'SIGCONT'),
    async kill(worker) {
      await worker.kill();
      await eventually(
        async () => busLink.connections,
        (count) => count === 0,
      );
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.kill()));
      await busLink.close();
    },
  };
}

/** Returns the environment of a worker that stands still at a point. */
export const stoppingAt = (point: string) => ({
  NODE_ENV: 'test',
  TRUNKLINE_CRASH_AT: point,
  TRUNKLINE_CRASH_SIGNAL: 'SIGSTOP',
});
