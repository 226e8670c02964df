import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecretVault, migrate } from '@trunkline/db';
import { createDatabase, startPostgres } from '@trunkline/local';
import postgres from 'postgres';
import { prepareInstance } from '../../apps/vcs-worker/src/serve/prepare-database.ts';
import { git } from './remotes.ts';

export interface FormerDataDir {
  readonly adminKey: string;
  /** A repository that lies in the storage, to be adopted. */
  readonly repository: string;
}

/**
 * Makes a data directory as `npm start` left it before version 0.2: everything in the database is the superuser's, all
 * users of the bus share a password, and the storage belongs to the user of the supervisor.
 */
export async function makeFormerDataDir(dataDir: string): Promise<FormerDataDir> {
  const [secret, adminKey] = [randomBytes(32).toString('hex'), randomBytes(20).toString('hex')];
  const root = join(dataDir, 'repositories');
  const repository = 'former';
  const server = await startPostgres({ dataDir, throwaway: true });
  try {
    const url = await createDatabase(server.url, 'trunkline');
    // There are no roles to give rights to.
    await migrate(url);
    await mkdir(root, { mode: 0o700 });
    await prepareInstance(url, {
      vault: createSecretVault(secret),
      claims: { storages: [{ name: 'default', root }], created: [] },
      admin: { username: 'admin', password: null, apiKey: adminKey },
    });
    // A server for tests ends without writing what it has in memory.
    const sql = postgres(url, { max: 1 });
    await sql`checkpoint`;
    await sql.end();
    await git(root, 'init', '-q', '--bare', repository);
    await writeFile(join(dataDir, 'secret'), `${secret}\n`, { mode: 0o600 });
    await writeFile(join(dataDir, 'nats-password'), `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  } finally {
    await server.stop();
  }
  return { adminKey, repository };
}
