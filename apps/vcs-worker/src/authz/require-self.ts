import { ForbiddenError, type EntityRef } from '@trunkline/contracts';
import type { Access } from './authorize.ts';

/** Others than administrators may name only themselves, in any form. */
export function requireSelf({ user }: Access, ref: EntityRef): void {
  if (user.admin || ref.id === user.id || ref.name === user.username) return;
  throw new ForbiddenError('userid is not the same as your user');
}
