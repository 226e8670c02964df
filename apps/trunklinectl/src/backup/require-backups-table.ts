import { canRecordBackups, requireUsableSchema, type Connection } from '@trunkline/db';
import { RefusedError } from '../errors.ts';

/** Throws for a database of another schema that this release cannot use, before anything else is read or locked. */
export async function requireBackupsTable(client: Connection): Promise<void> {
  await requireUsableSchema(client);
  if (await canRecordBackups(client)) return;
  throw new RefusedError(
    'the database has the schema of an earlier release, which records no backups: run `trunklinectl migrate` before',
  );
}
