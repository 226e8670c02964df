import { names, repoGroups, type Transaction } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import { recordChange } from '../../record-change.ts';
import { importedKey } from '../plan/here.ts';
import type { PlannedRepoGroup } from '../plan/plan.ts';
import { recordImported } from './imported-store.ts';
import { digestParts, mergeParts, type Parts } from './merge-parts.ts';
import { readGroupRights, rightsOfSource, rightsWanted } from './read-rights.ts';
import { replaceGroupRights } from './write-rights.ts';
import { count, inBatches, nothingBrought, tellKept, type Writing } from './writing.ts';

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

const ownerHere = ({ ids, firstAdminId }: Writing, { profile }: PlannedRepoGroup) =>
  ids.users.get(profile.ownerId ?? 0) ?? firstAdminId;

/** Owner and levels are one part: levels that are derived from the source hold only together. */
function partsOf(writing: Writing, group: PlannedRepoGroup) {
  const { description, enableLocking, ownerId } = group.profile;
  return {
    description: { source: description, here: description },
    enableLocking: { source: enableLocking, here: enableLocking },
    rights: {
      source: { ownerId, ...rightsOfSource(group.rows) },
      here: { ownerId: ownerHere(writing, group), ...rightsWanted(writing, group.rows) },
    },
  } satisfies Parts;
}

async function readHere(tx: Transaction, id: number) {
  const { description, enableLocking, ownerId } = repoGroups;
  const [row] = await tx
    .select({ description, enableLocking, ownerId })
    .from(repoGroups)
    .where(eq(repoGroups.id, id))
    .for('update');
  return { ...row, rights: { ownerId: row?.ownerId ?? null, ...(await readGroupRights(tx, id)) } };
}

async function create(writing: Writing, tx: Transaction, group: PlannedRepoGroup): Promise<number> {
  const { name, createdAt, profile } = group;
  const parentId = await lockParent(tx, name);
  await tx.insert(names).values({ name, kind: 'group' });
  const row = { name, parentId, ...profile, ownerId: ownerHere(writing, group), ...(createdAt && { createdAt }) };
  const [inserted] = await tx.insert(repoGroups).values(row).returning({ id: repoGroups.id });
  if (!inserted) throw new Error('no repository group was inserted');
  await replaceGroupRights(writing, tx, inserted.id, group.rows);
  await recordChange(tx, 'create_repo_group', { group_name: name });
  return inserted.id;
}

async function change(
  writing: Writing,
  tx: Transaction,
  id: number,
  group: PlannedRepoGroup,
  changed: ReadonlySet<string>,
): Promise<void> {
  if (changed.size === 0) return;
  const { description, enableLocking } = group.profile;
  const values = {
    ...(changed.has('description') && { description }),
    ...(changed.has('enableLocking') && { enableLocking }),
    ...(changed.has('rights') && { ownerId: ownerHere(writing, group) }),
  };
  await tx.update(repoGroups).set(values).where(eq(repoGroups.id, id));
  if (changed.has('rights')) await replaceGroupRights(writing, tx, id, group.rows);
  await recordChange(tx, 'update_repo_group', { repogroupid: group.name, changed: [...changed] });
}

async function writeOne(writing: Writing, tx: Transaction, group: PlannedRepoGroup): Promise<void> {
  const { digests, here, source, ids, sums, findings } = writing;
  const before = here.imported.get(importedKey('repo_group', group.id));
  const parts = partsOf(writing, group);
  const objectId = before?.objectId ?? (await create(writing, tx, group));
  const merge = before
    ? await mergeParts(digests, before.parts.digests, parts, () => readHere(tx, objectId))
    : { apply: new Set<string>(), kept: [], digests: digestParts(digests, parts) };
  await change(writing, tx, objectId, group, merge.apply);
  const recorded = { ...nothingBrought, digests: merge.digests };
  await recordImported(tx, { source, kind: 'repo_group', sourceId: group.id, objectId, parts: recorded }, before);
  tellKept(findings, `repository group ${group.name}`, merge.kept);
  ids.repoGroups.set(group.id, objectId);
  count(sums, !before, merge.apply);
}

export async function writeRepoGroups(writing: Writing, planned: readonly PlannedRepoGroup[]): Promise<void> {
  await inBatches(writing, planned, (tx, group) => writeOne(writing, tx, group));
}
