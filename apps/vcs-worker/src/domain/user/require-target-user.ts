import { ForbiddenError, type EntityRef } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import type { Access } from '../../authz/authorize.ts';
import { requireSelf } from '../../authz/require-self.ts';
import { requireUser } from './user-store.ts';

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

/** Returns what names the user whom a call is about, the caller without a reference. */
export function refToTarget({ user: { id, username } }: Access, ref: EntityRef | null): EntityRef {
  return ref ?? { sent: username, id, name: null };
}

/** Throws ForbiddenError for the user `default`, whose record cannot be edited. */
export function requireEditable<S extends TargetUser>(user: S): S {
  if (user.username === 'default') throw new ForbiddenError('editing default user is forbidden');
  return user;
}
