import { createHash } from 'node:crypto';
import { connectStatements, migrate, quoteName, roleNames, type RoleName } from '@trunkline/db';
import { createOwnedDatabase } from '@trunkline/local';
import postgres from 'postgres';

/** URLs of one database, by role. */
export interface TestDatabase {
  /** URL of the superuser, for what tests change and check behind the API. */
  readonly url: string;
  readonly ownerUrl: string;
  readonly gatewayUrl: string;
  readonly workerUrl: string;
}

/** Name of the database of a server that has the schema and is copied. */
const template = 'trunkline_template';
/** Key of the advisory lock under which a process makes it: others wait, and find it. */
const templateLock = 7_236_403;
/** What this process knows of the servers, by the URL of their superuser. */
const templates = new Map<string, Promise<void>>();

/** All databases of a server share the roles: their passwords follow from that of the superuser. */
function passwordsOf(postgresUrl: string): Readonly<Record<RoleName, string>> {
  const { password } = new URL(postgresUrl);
  const passwordOf = (role: string) => createHash('sha256').update(`${password} ${role}`).digest('hex');
  return { owner: passwordOf('owner'), gateway: passwordOf('gateway'), worker: passwordOf('worker') };
}

const urlOf = (postgresUrl: string, name: string) => {
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  return url;
};

async function asSuperuser<T>(postgresUrl: string, act: (client: postgres.Sql) => Promise<T>): Promise<T> {
  const client = postgres(postgresUrl, { max: 1, connect_timeout: 10, onnotice: () => {}, fetch_types: false });
  try {
    return await act(client);
  } finally {
    await client.end({ timeout: 5 });
  }
}

/** Returns a database of a test server with the roles of an instance and no schema, and creates it unless it exists. */
export async function openTestDatabase(postgresUrl: string, name: string): Promise<TestDatabase> {
  const access = await createOwnedDatabase(postgresUrl, name, passwordsOf(postgresUrl));
  return { url: urlOf(postgresUrl, name).href, ...access };
}

/** Makes the database that is copied: its name is final when its schema is complete. */
async function makeTemplate(postgresUrl: string): Promise<void> {
  await asSuperuser(postgresUrl, async (client) => {
    await client`select pg_advisory_lock(${templateLock})`;
    if ((await client`select 1 from pg_database where datname = ${template}`).length > 0) return;
    const { ownerUrl } = await openTestDatabase(postgresUrl, `${template}_new`);
    await migrate(ownerUrl);
    await client.unsafe(`alter database ${template}_new rename to ${template}`);
    // Nobody may be connected to what is copied.
    await client.unsafe(`alter database ${template} allow_connections false`);
  });
}

/** Creates a database with the schema of this release, in a fraction of the time of migrations and rights. */
export async function copyTestDatabase(postgresUrl: string, name: string): Promise<TestDatabase> {
  const made = templates.get(postgresUrl) ?? makeTemplate(postgresUrl);
  templates.set(postgresUrl, made);
  await made;
  await asSuperuser(postgresUrl, async (client) => {
    const database = quoteName(name);
    for (const statement of [`create database ${database} template ${template}`, ...connectStatements(database)]) {
      await client.unsafe(statement);
    }
  });
  const passwords = passwordsOf(postgresUrl);
  const urlFor = (role: RoleName) => {
    const url = urlOf(postgresUrl, name);
    url.username = roleNames[role];
    url.password = passwords[role];
    return url.href;
  };
  return {
    url: urlOf(postgresUrl, name).href,
    ownerUrl: urlFor('owner'),
    gatewayUrl: urlFor('gateway'),
    workerUrl: urlFor('worker'),
  };
}
