import { join } from 'node:path';
import { natsServerPath } from './config.ts';
import { guardedSpawn } from './process/guarded-spawn.ts';
import type { RunningChild } from './process/running-child.ts';
import { unprivilegedUser } from './process/system-user.ts';
import { prepareDataDir } from './data-dir.ts';
import { keptSecret, writePrivateFile } from './secret-file.ts';

const user = 'trunkline';

export interface NatsServer extends RunningChild {
  readonly port: number;
  /** With user and password, which a restart in the same directory keeps. */
  readonly url: string;
}

export interface NatsOptions {
  readonly dataDir: string;
  /** 8 MB when absent. */
  readonly maxPayloadBytes?: number;
  /** A free one when absent. */
  readonly port?: number;
}

/** Starts a nats-server on 127.0.0.1 whose configuration and log lie in the data directory. */
export async function startNats(options: NatsOptions): Promise<NatsServer> {
  const dataDir = prepareDataDir(options.dataDir, unprivilegedUser());
  const configPath = join(dataDir, 'nats.conf');
  // Whoever may publish here may command workers: other users of the machine may not.
  const password = keptSecret(join(dataDir, 'nats-password'));
  const lines = [
    `authorization { user: ${user}, password: "${password}" }`,
    'host: 127.0.0.1',
    `port: ${options.port ?? -1}`,
    `max_payload: ${options.maxPayloadBytes ?? 8 * 1024 * 1024}`,
  ];
  writePrivateFile(configPath, `${lines.join('\n')}\n`);
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
  return { ...child, port, url: `nats://${user}:${password}@127.0.0.1:${port}` };
}
