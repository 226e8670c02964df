import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { guardedSpawn, natsServerPath } from '@trunkline/local';
import * as v from 'valibot';
import { replaced } from './replaced.ts';
import { eventually } from './eventually.ts';

const documented = new URL('../../infra/nats/', import.meta.url);

function read(name: string): string {
  return readFileSync(new URL(name, documented), 'utf8');
}

/**
 * Writes the configuration that operators copy, with free ports of this machine, and with monitoring; returns the path
 * of the file that names the others.
 */
function writeNatsClusterConfig(directory: string): string {
  const files = {
    'nats-server.conf': replaced(read('nats-server.conf'), [
      [/^port: 4222$/m, 'listen: "127.0.0.1:-1"\nhttp: "127.0.0.1:-1"'],
    ]),
    'nats-cluster.conf': replaced(read('nats-cluster.conf'), [[/^ {2}port: 6222$/m, '  listen: "127.0.0.1:-1"']]),
    'permissions.conf': read('permissions.conf'),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return join(directory, 'nats-cluster.conf');
}

/** One nats-server of a cluster. */
export interface NatsNode {
  readonly pid: number;
  readonly port: number;
  readonly routePort: number;
  readonly monitorUrl: string;
  readonly exited: Promise<unknown>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface NatsCluster {
  readonly nodes: readonly NatsNode[];
  /** URLs of the running servers, for gateways and for workers. */
  readonly gatewayUrl: string;
  readonly workerUrl: string;
  start(): Promise<NatsNode>;
  /** Returns the number of connections that clients have to the servers which were not told to leave. */
  clients(): Promise<number>;
  /** Tells a server to leave, waits until its clients have left it, and stops it. */
  retire(node: NatsNode): Promise<void>;
  kill(node: NatsNode): Promise<void>;
  stop(): Promise<void>;
}

const Connections = v.object({ connections: v.number() });
const Routes = v.object({ routes: v.nullish(v.array(v.object({ remote_id: v.string() })), []) });

const passwordOf = () => `p${randomBytes(16).toString('hex')}`;

async function ask(node: NatsNode, path: string): Promise<unknown> {
  return (await fetch(`${node.monitorUrl}/${path}`)).json();
}

async function clientsOf(node: NatsNode): Promise<number> {
  return v.parse(Connections, await ask(node, 'varz')).connections;
}

/** Waits until the server has a route to each of so many others. */
async function isJoined(node: NatsNode, others: number): Promise<void> {
  const peers = async () => new Set(v.parse(Routes, await ask(node, 'routez')).routes.map((one) => one.remote_id)).size;
  await eventually(peers, (found) => found === others, 60);
}

/** Starts servers with the configuration that operators copy, each with free ports. */
export async function startNatsCluster(directory: string, size: number): Promise<NatsCluster> {
  const passwords = { gateway: passwordOf(), worker: passwordOf(), cluster: passwordOf() };
  const nodes = new Set<NatsNode>();
  let starts = 0;

  const start = async (): Promise<NatsNode> => {
    starts += 1;
    const own = join(directory, `nats-${starts}`);
    mkdirSync(own, { recursive: true });
    const routes = [...nodes].map(
      ({ routePort }) => `nats-route://cluster:${passwords.cluster}@127.0.0.1:${routePort}`,
    );
    const { child, ready } = await guardedSpawn({
      name: 'nats-server',
      command: natsServerPath(),
      args: ['-c', writeNatsClusterConfig(own)],
      env: {
        TRUNKLINE_NATS_GATEWAY_PASSWORD: passwords.gateway,
        TRUNKLINE_NATS_WORKER_PASSWORD: passwords.worker,
        TRUNKLINE_NATS_CLUSTER_PASSWORD: passwords.cluster,
        TRUNKLINE_NATS_ROUTES: JSON.stringify(routes),
      },
      logPath: join(own, 'nats-server.log'),
      stopSignal: 'SIGTERM',
      user: null,
      readyPattern:
        /http monitor on 127\.0\.0\.1:(\d+)[^]*client connections on 127\.0\.0\.1:(\d+)[^]*route connections on 127\.0\.0\.1:(\d+)/,
    });
    const [monitorPort, port, routePort] = ready.slice(1).map(Number);
    const node = {
      ...child,
      port: port ?? 0,
      routePort: routePort ?? 0,
      monitorUrl: `http://127.0.0.1:${monitorPort}`,
    };
    await isJoined(node, nodes.size);
    nodes.add(node);
    return node;
  };
  const urlOf = (user: 'gateway' | 'worker') =>
    [...nodes].map(({ port }) => `nats://${user}:${passwords[user]}@127.0.0.1:${port}`).join(',');

  for (let at = 0; at < size; at += 1) await start();
  return {
    get nodes() {
      return [...nodes];
    },
    get gatewayUrl() {
      return urlOf('gateway');
    },
    get workerUrl() {
      return urlOf('worker');
    },
    start,
    async clients() {
      const counts = await Promise.all([...nodes].map(clientsOf));
      return counts.reduce((sum, count) => sum + count, 0);
    },
    async retire(node) {
      nodes.delete(node);
      // What `nats-server --signal ldm` sends.
      process.kill(node.pid, 'SIGUSR2');
      // Without clients it ends by itself.
      const exited = node.exited.then(() => 0);
      await eventually(
        () => Promise.race([exited, clientsOf(node).catch(() => exited)]),
        (count) => count === 0,
        90,
      );
      // In this mode it also ends by itself, after its grace period.
      await node.kill();
    },
    async kill(node) {
      nodes.delete(node);
      await node.kill();
    },
    async stop() {
      await Promise.all([...nodes].map((node) => node.stop()));
    },
  };
}
