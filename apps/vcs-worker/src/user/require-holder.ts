import { InvalidArgsError, type EntityRef } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import { requireUserGroup, userGroupNotFound } from '../user-group/user-group-store.ts';
import type { Holder } from './global-permission-store.ts';
import type { HolderWrite } from './holder-write-store.ts';
import { requireUser, userNotFound } from './user-store.ts';

interface Named {
  readonly userid: EntityRef | null;
  readonly usersgroupid: EntityRef | null;
}

function requireOneNamed({ userid, usersgroupid }: Named): { readonly kind: Holder['kind']; readonly ref: EntityRef } {
  if (userid && usersgroupid) throw new InvalidArgsError('Invalid value for `usersgroupid`: `userid` is given, too');
  if (userid) return { kind: 'user', ref: userid };
  if (!usersgroupid) throw new InvalidArgsError('Invalid value for `userid`: it or `usersgroupid` must be given');
  return { kind: 'user group', ref: usersgroupid };
}

/** Returns whether a call names exactly one user or user group, be it one that cannot be there. */
export function namesOne({ userid, usersgroupid }: Named): boolean {
  return (userid === null) !== (usersgroupid === null);
}

/** Returns the user or user group that a call names; throws InvalidArgsError unless the call names exactly one. */
export async function requireHolder(db: Db, named: Named): Promise<Holder> {
  const { kind, ref } = requireOneNamed(named);
  if (kind === 'user') {
    const { id, username } = await requireUser(db, ref);
    return { kind, id, name: username };
  }
  const { id, name } = await requireUserGroup(db, ref);
  return { kind, id, name };
}

/** Returns the same when the statement that acts has looked them up. */
export function requireFoundHolder(named: Named, { user, userGroup }: Pick<HolderWrite, 'user' | 'userGroup'>): Holder {
  const { kind, ref } = requireOneNamed(named);
  const found = kind === 'user' ? user : userGroup;
  if (!found) throw kind === 'user' ? userNotFound(ref) : userGroupNotFound(ref);
  return { kind, ...found };
}
