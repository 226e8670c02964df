import { listLocked } from '../../repo/lock-list-store.ts';
import { toRepositoryWithChangesetRecord } from '../../repo/repository-record.ts';
import { requireTargetUser } from '../../user/require-target-user.ts';
import type { MethodHandler } from '../context.ts';

export const getLocks: MethodHandler<'get_locks'> = async ({ userid, ...page }, { db, access, vault }) => {
  const ofAllUsers = userid === null && access.user.admin;
  const holder = ofAllUsers ? null : await requireTargetUser(db, access, userid);
  const rows = await listLocked(db, access.user.id, holder && holder.id, page);
  return rows.map(({ repository, lockedBy, lockedAt }) => ({
    ...toRepositoryWithChangesetRecord(repository, { admin: access.user.admin, vault }),
    locked_by: lockedBy,
    locked_date: lockedAt.getTime() / 1000,
  }));
};
