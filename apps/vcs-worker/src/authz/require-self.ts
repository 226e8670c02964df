import { ForbiddenError, type EntityRef } from '@trunkline/contracts';
import type { Access } from './authorize.ts';

/** Throws ForbiddenError when a user who is not an administrator names another user, by id or by name. */
export function requireSelf({ user }: Pick<Access, 'user'>, ref: EntityRef): void {
  if (user.admin || ref.id === user.id || ref.name === user.username) return;
  throw new ForbiddenError('userid is not the same as your user');
}
