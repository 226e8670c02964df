import { ForbiddenError, type EntityRef } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import type { Access } from '../authz/authorize.ts';
import { requireSelf } from '../authz/require-self.ts';
import { requireUser } from './user-store.ts';

interface Subject {
  readonly id: number;
  readonly username: string;
}

/** Whom a call is about: the caller or, for an administrator, anybody. */
export async function requireSubject(db: Db, access: Access, ref: EntityRef | null): Promise<Subject> {
  if (!ref) return access.user;
  requireSelf(access, ref);
  return requireUser(db, ref);
}

/** A user as which somebody may call; `default` is none. */
export function requireEditable<S extends Subject>(subject: S): S {
  if (subject.username === 'default') throw new ForbiddenError('editing default user is forbidden');
  return subject;
}
