import { requireListedUser, toListedUser } from '../../user/listed-user-store.ts';
import type { Handler } from '../context.ts';

export const viewUser: Handler<'view_user'> = async ({ userid }, { db }) =>
  toListedUser(await requireListedUser(db, userid));
