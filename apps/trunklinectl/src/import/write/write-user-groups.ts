import { foldCase, userGroupMembers, userGroups, type Transaction } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import { recordChange } from '../../record-change.ts';
import { importedKey } from '../plan/here.ts';
import type { PlannedUserGroup } from '../plan/plan.ts';
import { changedParts, digestParts, recordImported } from './imported-store.ts';
import { insertInChunks } from './insert-in-chunks.ts';
import { count, inBatches, type Writing } from './writing.ts';

async function replaceMembers({ ids }: Writing, tx: Transaction, userGroupId: number, memberIds: readonly number[]) {
  await tx.delete(userGroupMembers).where(eq(userGroupMembers.userGroupId, userGroupId));
  const rows = memberIds.flatMap((id) => {
    const userId = ids.users.get(id);
    return userId === undefined ? [] : [{ userId, userGroupId }];
  });
  await insertInChunks(rows, (chunk) => tx.insert(userGroupMembers).values(chunk));
}

export async function writeUserGroups(writing: Writing, planned: readonly PlannedUserGroup[]): Promise<void> {
  const { db, here, source, ids, sums, firstAdminId } = writing;
  await inBatches(db, planned, async (tx, group) => {
    const { name, profile, createdAt, memberIds } = group;
    const before = here.imported.get(importedKey('user_group', group.id));
    const parts = digestParts({ profile, members: memberIds });
    const changed = changedParts(before, parts);
    const { ownerId: sourceOwner, ...rest } = profile;
    const values = { ...rest, ownerId: ids.users.get(sourceOwner ?? 0) ?? firstAdminId };
    let objectId = before?.objectId;
    if (objectId === undefined) {
      const row = { name, nameKey: foldCase(name), ...values, ...(createdAt && { createdAt }) };
      const [inserted] = await tx.insert(userGroups).values(row).returning({ id: userGroups.id });
      if (!inserted) throw new Error('no user group was inserted');
      objectId = inserted.id;
      await recordChange(tx, 'create_user_group', { group_name: name });
    } else if (changed.size > 0) {
      await tx.update(userGroups).set(values).where(eq(userGroups.id, objectId));
      await recordChange(tx, 'update_user_group', { usergroupid: name, changed: [...changed] });
    }
    if (changed.has('members')) await replaceMembers(writing, tx, objectId, memberIds);
    if (changed.size > 0) await recordImported(tx, { source, kind: 'user_group', sourceId: group.id, objectId, parts });
    ids.userGroups.set(group.id, objectId);
    count(sums, !before, changed);
  });
}
