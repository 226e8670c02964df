import { createDatabase } from '../create-database.ts';
import type { BusAccess } from '../nats/bus-access.ts';
import { startNats, type NatsServer } from '../nats/start-nats.ts';
import { startPostgres, type PostgresServer } from '../postgres/start-postgres.ts';
import type { Roster } from './roster.ts';

export interface Services {
  readonly databaseUrl: string;
  readonly bus: BusAccess;
}

async function ownDatabase(dataDir: string, roster: Roster): Promise<string> {
  const { current } = await roster.keep<PostgresServer>('postgres', {
    name: 'Postgres',
    start: (former) => startPostgres(former === null ? { dataDir } : { dataDir, port: former.port }),
  });
  return createDatabase(current.url, 'trunkline');
}

async function ownBus(dataDir: string, roster: Roster): Promise<BusAccess> {
  const { current } = await roster.keep<NatsServer>('nats-server', {
    name: 'nats-server',
    start: (former) => startNats(former === null ? { dataDir } : { dataDir, port: former.port }),
  });
  return current;
}

/** Returns access to database and bus: to those in `requested`, or to a Postgres and a nats-server that it starts. */
export async function startServices(
  requested: { databaseUrl: string | null; natsUrl: string | null },
  dataDir: string,
  roster: Roster,
): Promise<Services> {
  const url = requested.natsUrl;
  const [databaseUrl, bus] = await Promise.all([
    requested.databaseUrl ?? ownDatabase(dataDir, roster),
    url === null ? ownBus(dataDir, roster) : { url, gatewayUrl: url, workerUrl: url },
  ]);
  return { databaseUrl, bus };
}
