import { ForbiddenError, type EntityRef } from '@trunkline/contracts';
import type { Access } from './authorize.ts';

/** Returns whether a reference names the caller, by id or by name. */
export function isSelf({ user }: Pick<Access, 'user'>, ref: EntityRef): boolean {
  return ref.id === user.id || ref.name === user.username;
}

/** Throws ForbiddenError when a user who is not an administrator names another user, by id or by name. */
export function requireSelf(access: Pick<Access, 'user'>, ref: EntityRef): void {
  if (access.user.admin || isSelf(access, ref)) return;
  throw new ForbiddenError('userid is not the same as your user');
}
