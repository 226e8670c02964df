import postgres from 'postgres';
import {
  databaseStatements,
  quoteName,
  quoteText,
  requireUsableSchema,
  type RoleName,
  roleNames,
  roleStatements,
} from '@trunkline/db';

/** URLs of one database for its roles; all are the same for a database given in TRUNKLINE_DATABASE_URL. */
export interface DatabaseAccess {
  /** URL of the owner of the schema, for migrations and for people. */
  readonly ownerUrl: string;
  /** URL of the role with the rights of a gateway. */
  readonly gatewayUrl: string;
  /** URL of the role with the rights of a worker. */
  readonly workerUrl: string;
}

/** Creates a database unless it exists; returns its URL. */
export async function createDatabase(adminUrl: string, name: string): Promise<string> {
  const client = postgres(adminUrl, { max: 1, connect_timeout: 10, onnotice: () => {} });
  try {
    const [found] = await client`select 1 from pg_database where datname = ${name}`;
    if (found === undefined) await client`create database ${client(name)}`;
  } finally {
    await client.end({ timeout: 5 });
  }
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Key of the advisory lock under which roles are changed: Postgres refuses two changes of one role at once. */
const rolesLock = 7_236_402;

async function withClient(url: string, act: (client: postgres.Sql) => Promise<void>): Promise<void> {
  const client = postgres(url, { max: 1, connect_timeout: 10, onnotice: () => {} });
  try {
    await act(client);
  } finally {
    await client.end({ timeout: 5 });
  }
}

async function runAll(client: postgres.Sql, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await client.unsafe(statement);
}

/**
 * Creates a database and the roles of gateways and workers, as far as they are missing, and makes the database the
 * owner's, also one whose tables a superuser owned; throws for one whose schema this release cannot use. `superuserUrl`
 * names the database `postgres`.
 */
export async function createOwnedDatabase(
  superuserUrl: string,
  name: string,
  passwords: Readonly<Record<RoleName, string>>,
): Promise<DatabaseAccess> {
  const { owner, gateway, worker } = passwords;
  const literals = { owner: quoteText(owner), gateway: quoteText(gateway), worker: quoteText(worker) };
  const url = await createDatabase(superuserUrl, name);
  // Before anything is changed.
  await withClient(url, requireUsableSchema);
  await withClient(superuserUrl, async (client) => {
    // A statement that fails would be in the server's log, with its password.
    await client`set log_min_error_statement = panic`;
    await client`select pg_advisory_lock(${rolesLock})`;
    await runAll(client, [...roleStatements(literals), 'revoke connect on database postgres, template1 from public']);
  });
  await withClient(url, (client) => runAll(client, databaseStatements(quoteName(name))));
  const urlOf = (role: RoleName) => {
    const own = new URL(url);
    own.username = roleNames[role];
    own.password = passwords[role];
    return own.href;
  };
  return { ownerUrl: urlOf('owner'), gatewayUrl: urlOf('gateway'), workerUrl: urlOf('worker') };
}
