import { prepared, type Database } from '@trunkline/db';
import { sql } from 'drizzle-orm';
import { actedColumns, givenCaller, givenEntry, type Acted, type ActingParameters } from '../authz/acting-statement.ts';

export interface HolderWriteParameters {
  /** What the function `write_on_holder` does to a user, a user group or both. */
  readonly kind: 'add_member' | 'remove_member' | 'grant' | 'revoke';
  readonly targetId: number | null;
  readonly targetName: string | null;
  readonly groupId: number | null;
  readonly groupName: string | null;
  readonly permission: string | null;
}

const given = (name: keyof HolderWriteParameters) => sql.placeholder(name);

const writeQuery = prepared((db) =>
  db
    .select({
      ...actedColumns,
      targetId: sql<number | null>`out_target_id`,
      targetName: sql<string>`out_target_name`,
      groupId: sql<number | null>`out_group_id`,
      groupName: sql<string>`out_group_name`,
    })
    .from(
      sql`write_on_holder(${givenCaller}, ${given('kind')}::text, ${given('targetId')}::int, ${given('targetName')}::text,
        ${given('groupId')}::int, ${given('groupName')}::text, ${given('permission')}::text, ${givenEntry})`,
    )
    .prepare('write_on_holder'),
);

interface Found {
  readonly id: number;
  readonly name: string;
}

export interface HolderWrite extends Acted {
  /** The user and the user group that the call names; null for those that it does not name, or that do not exist. */
  readonly user: Found | null;
  readonly userGroup: Found | null;
}

/** Reads the caller's rights, acts and records the call: all in one statement, and nothing if the rights do not suffice. */
export async function writeOnHolder(
  pool: Database,
  parameters: ActingParameters & HolderWriteParameters,
): Promise<HolderWrite> {
  const [row] = await writeQuery(pool).execute({ ...parameters });
  if (!row) throw new Error('the function write_on_holder has returned nothing');
  const { step, changed, targetId, targetName, groupId, groupName, ...rights } = row;
  const user = targetId === null ? null : { id: targetId, name: targetName };
  const userGroup = groupId === null ? null : { id: groupId, name: groupName };
  return { step, rights: { ...rights, repository: null }, changed, user, userGroup };
}
