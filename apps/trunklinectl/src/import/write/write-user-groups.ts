import { foldCase, userGroupMembers, userGroups, type Transaction } from '@trunkline/db';
import { and, eq, inArray } from 'drizzle-orm';
import { recordChange } from '../../with-database.ts';
import { importedKey } from '../plan/here.ts';
import type { PlannedUserGroup } from '../plan/plan.ts';
import { count, inBatches, inChunks, tellKept, type Writing } from './writing.ts';
import { formerList, recordImported } from './imported-store.ts';
import { changeOfList, digestParts, mergeParts, type Parts } from './merge.ts';
import { ownerHere } from './rights.ts';

function partsOf(people: Writing, { profile }: PlannedUserGroup) {
  const { description, active, ownerId } = profile;
  return {
    description: { source: description, here: description },
    active: { source: active, here: active },
    ownerId: { source: ownerId, here: ownerHere(people, ownerId) },
  } satisfies Parts;
}

async function readHere(tx: Transaction, id: number) {
  const { description, active, ownerId } = userGroups;
  const [row] = await tx
    .select({ description, active, ownerId })
    .from(userGroups)
    .where(eq(userGroups.id, id))
    .for('update');
  return row ?? {};
}

async function create(tx: Transaction, { name, createdAt }: PlannedUserGroup, parts: ReturnType<typeof partsOf>) {
  const { description, active, ownerId } = parts;
  const values = { description: description.here, active: active.here, ownerId: ownerId.here };
  const row = { name, nameKey: foldCase(name), ...values, ...(createdAt && { createdAt }) };
  const [inserted] = await tx.insert(userGroups).values(row).returning({ id: userGroups.id });
  if (!inserted) throw new Error('no user group was inserted');
  await recordChange(tx, 'create_user_group', { group_name: name });
  return inserted.id;
}

/** Brings who was added in the source since the last import, and who was removed there. */
async function changeMembers(
  { ids }: Writing,
  tx: Transaction,
  userGroupId: number,
  { added, removed }: ReturnType<typeof changeOfList>,
): Promise<void> {
  const here = (all: readonly string[]) => all.flatMap((id) => ids.users.get(Number(id)) ?? []);
  const { userGroupId: ofGroup, userId: member } = userGroupMembers;
  await inChunks(here(removed), (chunk) =>
    tx.delete(userGroupMembers).where(and(eq(ofGroup, userGroupId), inArray(member, chunk))),
  );
  const rows = here(added).map((userId) => ({ userId, userGroupId }));
  await inChunks(rows, (chunk) => tx.insert(userGroupMembers).values(chunk).onConflictDoNothing());
}

async function writeOne(writing: Writing, tx: Transaction, group: PlannedUserGroup): Promise<void> {
  const { digests, here, source, ids, sums, findings } = writing;
  const before = here.imported.get(importedKey('user_group', group.id));
  const parts = partsOf(writing, group);
  const objectId = before?.objectId ?? (await create(tx, group, parts));
  const merge = before
    ? await mergeParts(digests, before.parts.digests, parts, () => readHere(tx, objectId))
    : { apply: new Set<string>(), kept: [], digests: digestParts(digests, parts) };
  const applied = Object.entries(parts).filter(([name]) => merge.apply.has(name));
  if (applied.length > 0) {
    const values = Object.fromEntries(applied.map(([name, part]) => [name, part.here]));
    await tx.update(userGroups).set(values).where(eq(userGroups.id, objectId));
  }
  const members = group.memberIds.map(String);
  const change = changeOfList(before && formerList(before, 'members', members), members);
  await changeMembers(writing, tx, objectId, change);
  const changed = new Set(merge.apply);
  if (change.added.length + change.removed.length > 0) changed.add('members');
  if (before && changed.size > 0) {
    await recordChange(tx, 'update_user_group', { usergroupid: group.name, changed: [...changed] });
  }
  const recorded = { digests: merge.digests, lists: { members } };
  await recordImported(tx, { source, kind: 'user_group', sourceId: group.id, objectId, parts: recorded }, before);
  tellKept(findings, `user group ${group.name}`, merge.kept);
  ids.userGroups.set(group.id, objectId);
  count(sums, !before, changed);
}

export async function writeUserGroups(writing: Writing, planned: readonly PlannedUserGroup[]): Promise<void> {
  await inBatches(writing, planned, (tx, group) => writeOne(writing, tx, group));
}
