import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { natsServerPath } from '../config.ts';
import { prepareDataDir } from '../data-dir.ts';
import { guardedSpawn } from '../process/guarded-spawn.ts';
import type { RunningChild } from '../process/running-child.ts';
import { unprivilegedUser } from '../process/system-user.ts';
import { keptSecret, writePrivateFile } from '../secret-file.ts';
import type { BusAccess } from './bus-access.ts';

/** The file that the nats-server of a cluster includes, too. */
const permissionsPath = new URL('../../../nats/permissions.conf', import.meta.url);

/** Running nats-server; a restart in the same directory keeps its password. */
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

/** Starts a nats-server on 127.0.0.1 with its configuration and log in the data directory. */
export async function startNats(options: NatsOptions): Promise<NatsServer> {
  const dataDir = prepareDataDir(options.dataDir, unprivilegedUser());
  const configPath = join(dataDir, 'nats.conf');
  // All passwords would be in files of the same owner, so one is enough to keep out other users of the machine.
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
