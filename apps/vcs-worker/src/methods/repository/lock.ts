import { toTimestamp, type EntityRef } from '@trunkline/contracts';
import { requireFoundUser } from '../../user/require-target-user.ts';
import type { MethodHandler, WriteContext } from '../context.ts';

async function showLock({ actOnRepository }: WriteContext, repoid: EntityRef, userid: EntityRef | null) {
  return actOnRepository(
    { kind: 'show_lock', repository: repoid, target: userid },
    ({ access, repository: { name }, target, lockedBy, lockedAt }) => {
      requireFoundUser(access, userid, target);
      const held = lockedBy !== null && lockedAt ? { username: lockedBy, since: lockedAt } : null;
      const msg = held
        ? `Repo \`${name}\` locked by \`${held.username}\` on \`"${toTimestamp(held.since)}"\`.`
        : `Repo \`${name}\` not locked.`;
      const since = held && held.since.getTime() / 1000;
      return { repo: name, locked: held !== null, locked_since: since, locked_by: held && held.username, msg };
    },
  );
}

export const lock: MethodHandler<'lock'> = async ({ repoid, userid, locked }, context) => {
  if (locked === null) return showLock(context, repoid, userid);
  return context.actOnRepository(
    { kind: locked ? 'lock' : 'unlock', repository: repoid, target: userid },
    ({ access, repository: { name }, target, lockedAt }) => {
      const { username } = requireFoundUser(access, userid, target);
      return {
        repo: name,
        locked,
        locked_since: lockedAt && lockedAt.getTime() / 1000,
        locked_by: username,
        msg: `User \`${username}\` set lock state for repo \`${name}\` to \`${locked ? 'True' : 'False'}\``,
      };
    },
  );
};
