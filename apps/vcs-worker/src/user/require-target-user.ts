import { ForbiddenError, type EntityRef } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import type { Access } from '../authz/authorize.ts';
import { requireSelf } from '../authz/require-self.ts';
import { requireUser, userNotFound } from './user-store.ts';

export interface TargetUser {
  readonly id: number;
  readonly username: string;
}

/** Returns the user whom a call is about: the caller or, for an administrator, any user. */
export async function requireTargetUser(db: Db, access: Access, ref: EntityRef | null): Promise<TargetUser> {
  if (!ref) return access.user;
  requireSelf(access, ref);
  return requireUser(db, ref);
}

/**
 * Returns the user whom a call is about, like `requireTargetUser`, when the statement that acts has looked the user up;
 * `found` is null when there is none.
 */
export function requireFoundUser(
  access: Pick<Access, 'user'>,
  ref: EntityRef | null,
  found: { readonly id: number; readonly name: string } | null,
): TargetUser {
  if (!ref) return access.user;
  requireSelf(access, ref);
  if (!found) throw userNotFound(ref);
  return { id: found.id, username: found.name };
}

/** Throws ForbiddenError for the user `default`, whose record cannot be edited. */
export function requireEditable<S extends TargetUser>(user: S): S {
  if (user.username === 'default') throw new ForbiddenError('editing default user is forbidden');
  return user;
}
