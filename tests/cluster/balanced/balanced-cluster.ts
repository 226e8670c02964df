import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres, { type Sql } from 'postgres';
import { createClient, type Client } from '../../harness/client.ts';
import { startCluster, type Cluster } from '../../harness/cluster.ts';
import { startNatsCluster, type NatsCluster } from '../../harness/nats-cluster.ts';
import { balancerAddress, startBalancer, type Balancer } from './balancer.ts';

type Gateway = Cluster['gateways'][number];
type Worker = Cluster['workers'][number];

/** Three gateways behind HAProxy, three workers of two storages, and three servers of the bus. */
export interface BalancedCluster {
  readonly cluster: Cluster;
  readonly nats: NatsCluster;
  readonly balancer: Balancer;
  readonly sql: Sql;
  /** A client of the balancer. */
  readonly admin: Client;
  /** Directory for work trees and clones. */
  readonly directory: string;
  /** The running gateways, by their position at the balancer, and the running workers. */
  readonly gateways: Gateway[];
  readonly workers: Worker[];
  /** Stops the gateway of a position as operators do; resolves when it has ended. */
  stopGateway(position: number): Promise<void>;
  /** Starts a gateway in a position, and waits until it gets requests. */
  startGateway(position: number): Promise<void>;
  stopWorker(at: number): Promise<void>;
  startWorker(at: number, env?: Record<string, string>): Promise<void>;
  close(): Promise<void>;
}

export const leaseSeconds = 3;

const size = 3;
/** The position of a gateway that is added later. */
const nobody = 'http://127.0.0.1:1';

/** Sends SIGTERM and waits for the end of the process, however long its requests take. */
async function endGently({ pid, exited }: Pick<Gateway, 'pid' | 'exited'>): Promise<void> {
  process.kill(pid, 'SIGTERM');
  const ending = await exited;
  if (ending !== 'exit code 0') throw new Error(`a process that was told to stop ended with ${ending}`);
}

const env = {
  TRUNKLINE_LEASE_SECONDS: String(leaseSeconds),
  TRUNKLINE_TRANSFER_TIMEOUT: '60',
  TRUNKLINE_TRUSTED_PROXIES: balancerAddress,
  // The balancer of a busy machine looks late; what is running takes long there.
  TRUNKLINE_DRAIN_SECONDS: '5',
  TRUNKLINE_STOP_SECONDS: '90',
};

export async function startBalancedCluster(postgresUrl: string): Promise<BalancedCluster> {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-balanced-'));
  const nats = await startNatsCluster(directory, size);
  const cluster = await startCluster({
    postgresUrl,
    gateways: size,
    workers: size,
    storages: ['second'],
    bus: nats,
    env,
  });
  const balancer = await startBalancer([...cluster.baseUrls, nobody]);
  const [gateways, workers] = [[...cluster.gateways], [...cluster.workers]];
  for (const position of gateways.keys()) await balancer.isUp(position);
  const sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  const of = <T>(all: readonly T[], at: number): T => {
    const one = all[at];
    if (one === undefined) throw new Error(`there is no process ${at}`);
    return one;
  };
  return {
    cluster,
    nats,
    balancer,
    sql,
    admin: createClient(balancer.url, cluster.adminKey),
    directory,
    gateways,
    workers,
    stopGateway: (position) => endGently(of(gateways, position)),
    async startGateway(position) {
      const gateway = await cluster.startGateway();
      gateways[position] = gateway;
      await balancer.use(position, gateway.baseUrl);
      await balancer.isUp(position);
    },
    stopWorker: (at) => endGently(of(workers, at)),
    async startWorker(at, own) {
      workers[at] = await cluster.startWorker(own);
    },
    async close() {
      await sql.end();
      await balancer.close();
      await cluster.kill();
      await nats.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
