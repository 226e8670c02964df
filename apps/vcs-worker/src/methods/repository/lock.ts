import { toTimestamp } from '@trunkline/contracts';
import { lockRepository } from '../../repo/lock-repository.ts';
import { findLock, setLock } from '../../repo/lock-store.ts';
import { requireTargetUser } from '../../user/require-target-user.ts';
import type { MethodHandler } from '../context.ts';

export const lock: MethodHandler<'lock'> = async ({ repoid, userid, locked }, { transact }) =>
  transact(async (scope) => {
    const { db, access } = scope;
    const { id, name } = await lockRepository(scope, repoid, locked === null ? 'key share' : 'no key update');
    const holder = await requireTargetUser(db, access, userid);

    if (locked === null) {
      const held = await findLock(db, id);
      const msg = held
        ? `Repo \`${name}\` locked by \`${held.username}\` on \`"${toTimestamp(held.since)}"\`.`
        : `Repo \`${name}\` not locked.`;
      const since = held && held.since.getTime() / 1000;
      return { repo: name, locked: held !== null, locked_since: since, locked_by: held && held.username, msg };
    }

    const since = await setLock(db, id, locked ? holder.id : null);
    const state = locked ? 'True' : 'False';
    return {
      repo: name,
      locked,
      locked_since: since && since.getTime() / 1000,
      locked_by: holder.username,
      msg: `User \`${holder.username}\` set lock state for repo \`${name}\` to \`${state}\``,
    };
  });
