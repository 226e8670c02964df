import type postgres from 'postgres';

/** Rows that are kept; a directory whose backup is older gets a whole one. */
const backupsMax = 1_000;

export type BackupOrigin = 'made' | 'restored';

/** Returns whether the schema is one that records backups: that of 0.1.0 does not. */
export async function canRecordBackups(client: postgres.Sql): Promise<boolean> {
  const [row] = await client<{ found: boolean }[]>`select to_regclass('public.backups') is not null as found`;
  return row?.found === true;
}

/**
 * Records a backup of this instance, once all of it was read: rows that know it have come after every state in it.
 */
export async function recordMadeBackup(client: postgres.Sql, backup: string): Promise<void> {
  await client`insert into backups (id, kind) values (${backup}, 'made')`;
  await client`delete from backups where id in
    (select id from backups order by kind = 'restored' desc, recorded_at desc offset ${backupsMax})`;
}

/** Returns what these rows know of a backup; null for nothing, as when it was made of another instance. */
export async function findKnownBackup(client: postgres.Sql, backup: string): Promise<BackupOrigin | null> {
  const [row] = await client<{ kind: BackupOrigin }[]>`select kind from backups where id = ${backup}`;
  return row?.kind ?? null;
}

/** Makes the rows those of a new life, which knows no backup but the one from which it was restored. */
export async function beginLife(tx: postgres.ISql, backup: string): Promise<void> {
  await tx`delete from backups`;
  await tx`insert into backups (id, kind) values (${backup}, 'restored')`;
}
