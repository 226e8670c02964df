import { createHash } from 'node:crypto';
import { createOwnedDatabase } from '@trunkline/local';

/** URLs of one database, by role. */
export interface TestDatabase {
  /** URL of the superuser, for what tests change and check behind the API. */
  readonly url: string;
  readonly ownerUrl: string;
  readonly gatewayUrl: string;
  readonly workerUrl: string;
}

/**
 * Returns a database of a test server with the roles of an instance, and creates it unless it exists. All databases of a
 * server share the roles: their passwords follow from that of the superuser.
 */
export async function openTestDatabase(postgresUrl: string, name: string): Promise<TestDatabase> {
  const url = new URL(postgresUrl);
  const passwordOf = (role: string) => createHash('sha256').update(`${url.password} ${role}`).digest('hex');
  const passwords = { owner: passwordOf('owner'), gateway: passwordOf('gateway'), worker: passwordOf('worker') };
  const access = await createOwnedDatabase(postgresUrl, name, passwords);
  url.pathname = `/${name}`;
  return { url: url.href, ...access };
}
