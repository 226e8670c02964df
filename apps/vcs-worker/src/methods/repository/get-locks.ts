import { readList } from '../../serve/lists/read-list.ts';
import { listLocked } from '../../domain/repo/lock-list-store.ts';
import { toRepositoryWithChangesetRecord } from '../../domain/repo/repository-record.ts';
import { requireTargetUser } from '../../domain/user/require-target-user.ts';
import type { MethodHandler } from '../context.ts';

export const getLocks: MethodHandler<'get_locks'> = async ({ userid, ...page }, context) =>
  readList(context, page, {
    async read(tx, access, part) {
      const ofAllUsers = userid === null && access.user.admin;
      const holder = ofAllUsers ? null : await requireTargetUser(tx, access, userid);
      return listLocked(tx, access.user.id, holder && holder.id, part);
    },
    keyOf: ({ repository }) => repository.id,
    toEntry: ({ repository, lockedBy, lockedAt }, { user }) => ({
      ...toRepositoryWithChangesetRecord(repository, { admin: user.admin, vault: context.vault }),
      locked_by: lockedBy,
      locked_date: lockedAt.getTime() / 1000,
    }),
  });
