import { join } from 'node:path';
import { prepareDataDir } from '../data-dir.ts';
import { findFreePort } from '../process/ports.ts';
import { guardedSpawn } from '../process/guarded-spawn.ts';
import type { RunningChild } from '../process/running-child.ts';
import { unprivilegedUser } from '../process/system-users.ts';
import { keptSecret } from '../secret-file.ts';
import { clearFormerServer, prepareCluster, superuser } from './cluster-dir.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';

const connectionsMax = { kept: 300, throwaway: 600 };
const throwawaySettings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

export interface PostgresServer extends RunningChild {
  readonly port: number;
  /** URL of the database `postgres` for the superuser. */
  readonly url: string;
}

export interface PostgresOptions {
  readonly dataDir: string;
  /** Whether the data may be lost in a crash of the machine, which makes the server fast: for tests. */
  readonly throwaway?: boolean;
  /** Port to listen on; a free one when absent. */
  readonly port?: number;
}

/** Starts a Postgres on 127.0.0.1 that keeps its files in the data directory; as root it runs as `nobody`. */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const { throwaway = false } = options;
  const user = unprivilegedUser();
  const dataDir = prepareDataDir(options.dataDir, user);
  const clusterDir = join(dataDir, 'postgres');
  const password = keptSecret(join(dataDir, 'postgres-password'));
  const binaries = findPostgresBinaries(user);
  await prepareCluster({ clusterDir, binaries, password, user, throwaway });
  await clearFormerServer(clusterDir);

  const port = options.port ?? (await findFreePort());
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `max_connections=${throwaway ? connectionsMax.throwaway : connectionsMax.kept}`,
    ...(throwaway ? throwawaySettings : []),
  ];
  const { child } = await guardedSpawn({
    name: 'Postgres',
    command: binaries.postgres,
    args: ['-D', clusterDir, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    logPath: join(dataDir, 'logs', 'postgres.log'),
    // Not SIGTERM, on which Postgres waits until all clients have disconnected.
    stopSignal: throwaway ? 'SIGQUIT' : 'SIGINT',
    user,
    // A standby accepts read-only connections.
    readyPattern: /ready to accept (?:read-only )?connections/,
  });
  return { ...child, port, url: `postgres://${superuser}:${password}@127.0.0.1:${port}/postgres` };
}
