import { canRecordBackups, type Connection } from '@trunkline/db';
import { RefusedError } from '../errors.ts';

/** Throws for a database of an earlier release, before anything is read or locked. */
export async function requireBackupsTable(client: Connection): Promise<void> {
  if (await canRecordBackups(client)) return;
  throw new RefusedError(
    'the database has the schema of an earlier release, which records no backups: run `trunklinectl migrate` before',
  );
}
