import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@trunkline/local';

/** A Postgres of one test file, whose other users and limits are the file's alone. */
export interface OwnPostgres {
  /** Connection string of the superuser. */
  readonly url: string;
  /** Reads the server's log. */
  log(): Promise<string>;
  /** Stops the server and removes the data directory. */
  stop(): Promise<void>;
}

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-own-postgres-'));
  // Postgres runs as an unprivileged user when the tests run as root.
  await chmod(directory, 0o755);
  const server = await startPostgres({ dataDir: join(directory, 'postgres'), throwaway: true });
  return {
    url: server.url,
    log: () => readFile(join(directory, 'postgres', 'logs', 'postgres.log'), 'utf8'),
    async stop() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
