import { InvalidArgsError, type EntityRef } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import { requireUserGroup } from '../user-group/user-group-store.ts';
import type { Holder } from './global-permission-store.ts';
import { requireUser } from './user-store.ts';

/** Returns the user or user group that a call names; throws InvalidArgsError unless the call names exactly one. */
export async function requireHolder(
  db: Db,
  { userid, usersgroupid }: { readonly userid: EntityRef | null; readonly usersgroupid: EntityRef | null },
): Promise<Holder> {
  if (userid && usersgroupid) throw new InvalidArgsError('Invalid value for `usersgroupid`: `userid` is given, too');
  if (userid) {
    const { id, username } = await requireUser(db, userid);
    return { kind: 'user', id, name: username };
  }
  if (!usersgroupid) throw new InvalidArgsError('Invalid value for `userid`: it or `usersgroupid` must be given');
  const { id, name } = await requireUserGroup(db, usersgroupid);
  return { kind: 'user group', id, name };
}
