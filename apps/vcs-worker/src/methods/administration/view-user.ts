import { requireListedUser, toListedUser } from '../../domain/user/user-list-store.ts';
import type { MethodHandler } from '../context.ts';

export const viewUser: MethodHandler<'view_user'> = async ({ userid }, { db }) =>
  toListedUser(await requireListedUser(db, userid));
