import { createDatabase } from '../create-database.ts';
import { startPostgres, type PostgresServer } from '../postgres/start-postgres.ts';
import { startNats, type NatsServer } from '../start-nats.ts';
import type { Roster } from './roster.ts';

export interface Services {
  readonly databaseUrl: string;
  readonly natsUrl: string;
}

async function ownDatabase(dataDir: string, roster: Roster): Promise<string> {
  const { current } = await roster.keep<PostgresServer>('postgres', {
    name: 'Postgres',
    start: (former) => startPostgres(former === null ? { dataDir } : { dataDir, port: former.port }),
  });
  return createDatabase(current.url, 'trunkline');
}

async function ownBus(dataDir: string, roster: Roster): Promise<string> {
  const { current } = await roster.keep<NatsServer>('nats-server', {
    name: 'nats-server',
    start: (former) => startNats(former === null ? { dataDir } : { dataDir, port: former.port }),
  });
  return current.url;
}

/** The database and the bus: those asked for, else servers of our own. */
export async function startServices(
  asked: { databaseUrl: string | null; natsUrl: string | null },
  dataDir: string,
  roster: Roster,
): Promise<Services> {
  const [databaseUrl, natsUrl] = await Promise.all([
    asked.databaseUrl ?? ownDatabase(dataDir, roster),
    asked.natsUrl ?? ownBus(dataDir, roster),
  ]);
  return { databaseUrl, natsUrl };
}
