import { NotFoundError } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import type { Access } from '../../authz/authorize.ts';
import { findOperation, type OperationRow } from './operation-list-store.ts';

/** Returns the operation of this id. The error is the same for another user's operation and for a missing one. */
export async function requireOperation(db: Db, { user }: Access, id: string | null): Promise<OperationRow> {
  const row = await findOperation(db, user, id ?? '');
  if (!row) throw new NotFoundError(`operation \`${id ?? 'None'}\` does not exist`);
  return row;
}
