import { join } from 'node:path';
import { migrate, type TierRoles } from '@trunkline/db';
import { type BusAccess, type NatsServer, startNats } from '../nats/start-nats.ts';
import { createOwnedDatabase, type DatabaseAccess } from '../postgres/create-owned-database.ts';
import { startPostgres, type PostgresServer } from '../postgres/start-postgres.ts';
import { keptSecret } from '../secret-file.ts';
import { timed } from '../timed.ts';
import type { Roster } from './roster.ts';

export interface Services {
  readonly database: DatabaseAccess;
  readonly bus: BusAccess;
}

/** Starts the stack's own Postgres, with a database that has the schema of this release. */
async function ownDatabase(dataDir: string, roster: Roster): Promise<DatabaseAccess> {
  const { current } = await roster.keep<PostgresServer>('postgres', {
    name: 'Postgres',
    start: (former) => startPostgres(former === null ? { dataDir } : { dataDir, port: former.port }),
  });
  const passwordOf = (role: string) => keptSecret(join(dataDir, `postgres-${role}-password`));
  const passwords = { owner: passwordOf('owner'), gateway: passwordOf('gateway'), worker: passwordOf('worker') };
  const access = await timed('Preparing the database and its roles', () =>
    createOwnedDatabase(current.url, 'trunkline', passwords),
  );
  await timed('Applying migrations', () => migrate(access.ownerUrl));
  return access;
}

async function ownBus(dataDir: string, roster: Roster, toolsFound: Promise<unknown>): Promise<BusAccess> {
  await toolsFound;
  const { current } = await roster.keep<NatsServer>('nats-server', {
    name: 'nats-server',
    start: (former) => startNats(former === null ? { dataDir } : { dataDir, port: former.port }),
  });
  return current;
}

interface Requested {
  readonly databaseUrl: string | null;
  /** URL of the owner of the schema of that database, if it is another than `databaseUrl`. */
  readonly migrateUrl: string | null;
  readonly roles: TierRoles;
  readonly natsUrl: string | null;
  /** Ends when the path of nats-server is known. */
  readonly toolsFound: Promise<unknown>;
}

/** Migrates a given database with the URL for it; without one, the apps migrate or wait for the schema. */
async function givenDatabase(url: string, { migrateUrl, roles }: Requested): Promise<DatabaseAccess> {
  if (migrateUrl !== null) await migrate(migrateUrl, roles);
  return { ownerUrl: migrateUrl ?? url, gatewayUrl: url, workerUrl: url };
}

/** Returns access to database and bus: to those in `requested`, or to a Postgres and a nats-server that it starts. */
export async function startServices(requested: Requested, dataDir: string, roster: Roster): Promise<Services> {
  const { databaseUrl, natsUrl: url, toolsFound } = requested;
  const [database, bus] = await Promise.all([
    databaseUrl === null ? ownDatabase(dataDir, roster) : givenDatabase(databaseUrl, requested),
    url === null ? ownBus(dataDir, roster, toolsFound) : { url, gatewayUrl: url, workerUrl: url },
  ]);
  return { database, bus };
}
