import { names, repoGroups, type Transaction } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import { recordChange } from '../../record-change.ts';
import { importedKey } from '../plan/here.ts';
import type { PlannedRepoGroup } from '../plan/plan.ts';
import { changedParts, digestParts, recordImported } from './imported-store.ts';
import { replaceGroupRights } from './write-rights.ts';
import { count, inBatches, type Writing } from './writing.ts';

/** Returns the id of the group in which a name lies, kept from removal and renames; null at the top level. */
export async function lockParent(tx: Transaction, name: string): Promise<number | null> {
  const parent = name.slice(0, Math.max(0, name.lastIndexOf('/')));
  if (parent === '') return null;
  const [row] = await tx
    .select({ id: repoGroups.id })
    .from(repoGroups)
    .where(eq(repoGroups.name, parent))
    .for('key share');
  if (!row) throw new Error(`the repository group ${parent} has gone meanwhile: run the import again`);
  return row.id;
}

async function create(tx: Transaction, { name, createdAt }: PlannedRepoGroup, values: NewValues): Promise<number> {
  const parentId = await lockParent(tx, name);
  await tx.insert(names).values({ name, kind: 'group' });
  const row = { name, parentId, ...values, ...(createdAt && { createdAt }) };
  const [inserted] = await tx.insert(repoGroups).values(row).returning({ id: repoGroups.id });
  if (!inserted) throw new Error('no repository group was inserted');
  await recordChange(tx, 'create_repo_group', { group_name: name });
  return inserted.id;
}

type NewValues = Pick<typeof repoGroups.$inferInsert, 'description' | 'enableLocking' | 'ownerId'>;

export async function writeRepoGroups(writing: Writing, planned: readonly PlannedRepoGroup[]): Promise<void> {
  const { db, here, source, ids, sums, firstAdminId } = writing;
  await inBatches(db, planned, async (tx, group) => {
    const { profile, rows } = group;
    const before = here.imported.get(importedKey('repo_group', group.id));
    const stated = [rows.defaultLevel, [...rows.users], [...rows.userGroups]];
    const parts = digestParts({ profile, rights: stated });
    const changed = changedParts(before, parts);
    const { ownerId: sourceOwner, ...rest } = profile;
    const values = { ...rest, ownerId: ids.users.get(sourceOwner ?? 0) ?? firstAdminId };
    const objectId = before?.objectId ?? (await create(tx, group, values));
    if (before && changed.size > 0) {
      await tx.update(repoGroups).set(values).where(eq(repoGroups.id, objectId));
      await recordChange(tx, 'update_repo_group', { repogroupid: group.name, changed: [...changed] });
    }
    if (changed.has('rights')) await replaceGroupRights(writing, tx, objectId, rows);
    if (changed.size > 0) await recordImported(tx, { source, kind: 'repo_group', sourceId: group.id, objectId, parts });
    ids.repoGroups.set(group.id, objectId);
    count(sums, !before, changed);
  });
}
