import { InvalidArgsError, type EntityRef } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import { requireUserGroup } from '../groups/user-group-store.ts';
import type { Holder } from './global-permission-store.ts';
import { requireUser } from './user-store.ts';

interface Named {
  readonly userid: EntityRef | null;
  readonly usersgroupid: EntityRef | null;
}

export function requireOneNamed({ userid, usersgroupid }: Named): {
  readonly kind: Holder['kind'];
  readonly ref: EntityRef;
} {
  if (userid && usersgroupid) throw new InvalidArgsError('Invalid value for `usersgroupid`: `userid` is given, too');
  if (userid) return { kind: 'user', ref: userid };
  if (!usersgroupid) throw new InvalidArgsError('Invalid value for `userid`: it or `usersgroupid` must be given');
  return { kind: 'user group', ref: usersgroupid };
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
