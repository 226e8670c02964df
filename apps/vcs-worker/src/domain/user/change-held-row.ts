import type { EntityRef } from '@trunkline/contracts';
import type { Access } from '../../authz/authorize.ts';
import type { WriteScope } from '../../write-scope.ts';
import { findHolder, type FoundHolder, type HeldRows, type HolderKind } from './held-row-store.ts';

type Scope = Pick<WriteScope, 'db' | 'access' | 'authorize'>;

/** Throws the client's error for a caller who may not change what this user or user group has; asked again after each wait. */
type Allow = (access: Access, ref: EntityRef) => void | Promise<void>;

/**
 * Finds the user or user group that a call names, and keeps it from removal until the transaction ends; null when there is
 * none. Rights may be revoked while the call waits for its row, so that they are read again then.
 */
export async function keepHolder(
  { db, access, authorize }: Scope,
  kind: HolderKind,
  ref: EntityRef,
  allow: Allow = () => {},
): Promise<FoundHolder | null> {
  // Whoever may not change it locks no row.
  await allow(access, ref);
  const free = await findHolder(db, kind, ref, 'keepAtOnce');
  if (free) {
    // The name may have passed to another one since the rights were read.
    await allow(access, { ...ref, id: free.id, name: null });
    return free;
  }
  const meant = await findHolder(db, kind, ref);
  // The name may pass to another one during the wait.
  const kept = meant && (await findHolder(db, kind, { id: meant.id, name: null }, 'keep'));
  await allow(await authorize(), meant ? { ...ref, id: meant.id, name: null } : ref);
  return kept;
}

/**
 * Removes a row of the user or user group that a call names. It waits for that row, after which the rights are read again,
 * and not for the row of its holder, which a revocation does not need to stay.
 */
export async function removeHeldRow(
  { db, access, authorize }: Scope,
  rows: HeldRows,
  { holder: ref, object, allow = () => {} }: { holder: EntityRef; object: number | string; allow?: Allow },
): Promise<{ readonly holder: FoundHolder | null; readonly changed: boolean }> {
  const found = await findHolder(db, rows.kind, ref);
  // The name may have passed to another one since the rights were read.
  const foundRef = found ? { ...ref, id: found.id, name: null } : ref;
  await allow(access, foundRef);
  if (!found) return { holder: null, changed: false };
  const row = { id: found.id, object };
  const remove = async () => (await rows.removeAtOnce(db).execute(row)).length > 0;
  if (await remove()) return { holder: found, changed: true };
  await rows.lock(db).execute(row);
  await allow(await authorize(), foundRef);
  const holder = await findHolder(db, rows.kind, { id: found.id, name: null });
  return { holder, changed: await remove() };
}
