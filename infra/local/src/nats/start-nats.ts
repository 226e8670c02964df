import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkout, natsServerPath } from '../config.ts';
import { prepareDataDir } from '../data-dir.ts';
import { guardedSpawn } from '../process/guarded-spawn.ts';
import type { RunningChild } from '../process/running-child.ts';
import { unprivilegedUser } from '../process/system-users.ts';
import { keptSecret, writePrivateFile } from '../secret-file.ts';

/** URLs of one bus for three users; all are the same for a server given in TRUNKLINE_NATS_URL. */
export interface BusAccess {
  /** URL of a user with all permissions, for people and tests. */
  readonly url: string;
  /** URL of a user with the permissions of a gateway. */
  readonly gatewayUrl: string;
  /** URL of a user with the permissions of a worker. */
  readonly workerUrl: string;
}

/** The file that the nats-server of a cluster includes, too. */
const permissionsPath = join(checkout, 'infra/nats/permissions.conf');

/** Running nats-server; a restart in the same directory keeps its passwords. */
export interface NatsServer extends RunningChild, BusAccess {
  readonly port: number;
}

export interface NatsOptions {
  readonly dataDir: string;
  /** The server's `max_payload`; 8 MB when absent. */
  readonly maxPayloadBytes?: number;
  /** Port to listen on; a free one when absent. */
  readonly port?: number;
}

/** Each user of the bus has a password of its own. */
type Passwords = Readonly<Record<'operator' | 'gateway' | 'worker', string>>;

function configuration({ port = -1, maxPayloadBytes = 8 * 1024 * 1024 }: NatsOptions, passwords: Passwords): string {
  return `host: 127.0.0.1
port: ${port}
max_payload: ${maxPayloadBytes}
ping_interval: "5s"
ping_max: 2
authorization {
${readFileSync(permissionsPath, 'utf8')}
users = [
  { user: operator, password: "${passwords.operator}" }
  { user: gateway, password: "${passwords.gateway}", permissions: $gateway_permissions }
  { user: worker, password: "${passwords.worker}", permissions: $worker_permissions }
]
}
`;
}

/** Starts a nats-server on 127.0.0.1 with its configuration and log in the data directory. */
export async function startNats(options: NatsOptions): Promise<NatsServer> {
  const dataDir = prepareDataDir(options.dataDir, unprivilegedUser());
  const configPath = join(dataDir, 'nats.conf');
  const passwordOf = (user: string) => keptSecret(join(dataDir, `nats-${user}-password`));
  const passwords = { operator: passwordOf('operator'), gateway: passwordOf('gateway'), worker: passwordOf('worker') };
  writePrivateFile(configPath, configuration(options, passwords));
  // That of earlier releases, which opened all users.
  rmSync(join(dataDir, 'nats-password'), { force: true });
  const { child, ready } = await guardedSpawn({
    name: 'nats-server',
    command: natsServerPath(),
    args: ['-c', configPath],
    logPath: join(dataDir, 'logs', 'nats-server.log'),
    stopSignal: 'SIGTERM',
    user: null,
    readyPattern: /client connections on 127\.0\.0\.1:(\d+)[^]*Server is ready/,
  });
  const port = Number(ready[1]);
  const urlOf = (user: keyof Passwords) => `nats://${user}:${passwords[user]}@127.0.0.1:${port}`;
  return { ...child, port, url: urlOf('operator'), gatewayUrl: urlOf('gateway'), workerUrl: urlOf('worker') };
}
