import { toTimestamp, type EntityRef } from '@trunkline/contracts';
import type { Access } from '../../authz/authorize.ts';
import { requireRepository } from '../../authz/require-repository.ts';
import { requireSelf } from '../../authz/require-self.ts';
import { findLock, setLock } from '../../repo/lock-store.ts';
import { requireUser } from '../../user/user-store.ts';
import type { Handler, WriteScope } from '../context.ts';

/** Whose lock it is to be: the caller's, or, for an administrator, anybody's. */
async function requireHolder(db: WriteScope['db'], access: Access, userid: EntityRef | null) {
  if (!userid) return access.user;
  requireSelf(access, userid);
  return requireUser(db, userid);
}

export const lock: Handler<'lock'> = async ({ repoid, userid, locked }, { transact }) =>
  transact(async ({ db, access }) => {
    const { id, name } = requireRepository(access, repoid);
    const holder = await requireHolder(db, access, userid);

    if (locked === null) {
      const held = await findLock(db, id);
      const msg = held
        ? `Repo \`${name}\` locked by \`${held.username}\` on \`"${toTimestamp(held.since)}"\`.`
        : `Repo \`${name}\` not locked.`;
      const since = held && held.since.getTime() / 1000;
      return { repo: name, locked: held !== null, locked_since: since, locked_by: held && held.username, msg };
    }

    const since = new Date();
    await setLock(db, id, locked ? { userId: holder.id, since } : null);
    const state = locked ? 'True' : 'False';
    return {
      repo: name,
      locked,
      locked_since: locked ? since.getTime() / 1000 : null,
      locked_by: holder.username,
      msg: `User \`${holder.username}\` set lock state for repo \`${name}\` to \`${state}\``,
    };
  });
