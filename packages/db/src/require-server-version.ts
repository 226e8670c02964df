import type postgres from 'postgres';

/** The oldest Postgres that this release was tested with. */
const majorMin = 13;

/** Throws, with a sentence for the operator, when the database server is older. */
export async function requireServerVersion(client: postgres.Sql): Promise<void> {
  const [server] = await client<{ major: number; version: string }[]>`
    select current_setting('server_version_num')::int / 10000 as major, current_setting('server_version') as version`;
  if (server && server.major >= majorMin) return;
  throw new Error(`The database server is Postgres ${server?.version}; Trunkline needs Postgres ${majorMin} or newer`);
}
