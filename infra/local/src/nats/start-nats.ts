import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { natsServerPath } from '../config.ts';
import { prepareDataDir } from '../data-dir.ts';
import { guardedSpawn } from '../process/guarded-spawn.ts';
import type { RunningChild } from '../process/running-child.ts';
import { unprivilegedUser } from '../process/system-user.ts';
import { keptSecret, writePrivateFile } from '../secret-file.ts';
import type { BusAccess } from './bus-access.ts';

/** The same file that a cluster's nats-server includes. */
const permissionsPath = new URL('../../../nats/permissions.conf', import.meta.url);

/** Passwords are kept by a restart in the same directory. */
export interface NatsServer extends RunningChild, BusAccess {
  readonly port: number;
}

export interface NatsOptions {
  readonly dataDir: string;
  /** 8 MB when absent. */
  readonly maxPayloadBytes?: number;
  /** A free one when absent. */
  readonly port?: number;
}

function configuration({ port = -1, maxPayloadBytes = 8 * 1024 * 1024 }: NatsOptions, password: string): string {
  return `host: 127.0.0.1
port: ${port}
max_payload: ${maxPayloadBytes}
ping_interval: "5s"
ping_max: 2
authorization {
${readFileSync(permissionsPath, 'utf8')}
users = [
  { user: operator, password: "${password}" }
  { user: gateway, password: "${password}", permissions: $gateway_permissions }
  { user: worker, password: "${password}", permissions: $worker_permissions }
]
}
`;
}

/** Starts a nats-server on 127.0.0.1 whose configuration and log lie in the data directory. */
export async function startNats(options: NatsOptions): Promise<NatsServer> {
  const dataDir = prepareDataDir(options.dataDir, unprivilegedUser());
  const configPath = join(dataDir, 'nats.conf');
  // Whoever may read this file may read the others, too: one password keeps out the other users of the machine.
  const password = keptSecret(join(dataDir, 'nats-password'));
  writePrivateFile(configPath, configuration(options, password));
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
  const urlOf = (user: string) => `nats://${user}:${password}@127.0.0.1:${port}`;
  return { ...child, port, url: urlOf('operator'), gatewayUrl: urlOf('gateway'), workerUrl: urlOf('worker') };
}
