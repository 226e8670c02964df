import { execFile } from 'node:child_process';
import { chown, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startPostgres, type PostgresServer } from '@trunkline/local';
import postgres from 'postgres';
import { eventually } from './eventually.ts';

/** A primary, and the standby that has what was committed. */
export interface PrimaryAndStandby {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** Has the standby accept changes. */
  promote(): Promise<void>;
}

async function asSuperuser<T>(url: string, act: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, max_lifetime: null, onnotice: () => {} });
  try {
    return await act(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Copies the files of a server that runs, by its functions for backups: the packaged Postgres has no pg_basebackup. */
async function copyServer({ url, port }: PostgresServer, from: string, to: string): Promise<void> {
  const label = await asSuperuser(url, async (sql) => {
    await sql`select pg_backup_start('standby', true)`;
    await promisify(execFile)('cp', ['-a', from, to]);
    const [row] = await sql<{ labelfile: string }[]>`select labelfile from pg_backup_stop(false)`;
    return row?.labelfile ?? '';
  });
  const { username, password } = new URL(url);
  const source = `primary_conninfo = 'host=127.0.0.1 port=${port} user=${username} password=${password}'\n`;
  const files = join(to, 'postgres');
  await rm(join(files, 'postmaster.pid'));
  const { uid, gid } = await stat(files);
  for (const [name, text] of Object.entries({ backup_label: label, 'standby.signal': '' })) {
    await writeFile(join(files, name), text);
    await chown(join(files, name), uid, gid);
  }
  await writeFile(join(files, 'postgresql.auto.conf'), source, { flag: 'a' });
}

/** Starts two servers below a directory, whose ends join `closers`; a commit is acknowledged when the standby has it. */
export async function startPrimaryAndStandby(
  directory: string,
  closers: (() => Promise<unknown>)[],
): Promise<PrimaryAndStandby> {
  const [first, second] = [join(directory, 'first'), join(directory, 'second')];
  const primary = await startPostgres({ dataDir: first, throwaway: false });
  closers.push(() => primary.kill());
  await copyServer(primary, first, second);
  const standby = await startPostgres({ dataDir: second, throwaway: false });
  closers.push(() => standby.kill());
  await asSuperuser(primary.url, async (sql) => {
    await sql`alter system set synchronous_standby_names = '*'`;
    await sql`select pg_reload_conf()`;
    await eventually(
      () => sql`select from pg_stat_replication where sync_state = 'sync'`,
      (rows) => rows.length === 1,
    );
  });
  const promote = () => asSuperuser(standby.url, async (sql) => void (await sql`select pg_promote()`));
  return { primary, standby, promote };
}
