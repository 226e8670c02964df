import { names, repoGroups, type Transaction } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import { recordChange } from '../../with-database.ts';
import { importedKey, type ImportedObject } from '../plan/here.ts';
import type { PlannedRepoGroup } from '../plan/plan.ts';
import { bringRights, writeNewRights } from './bring-rights.ts';
import { recordImported } from './imported-store.ts';
import { digestParts, mergeParts, type Parts } from './merge.ts';
import type { SourceRights } from './merge-rights.ts';
import { ownerHere, pairsOfSource } from './rights.ts';
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

function partsOf({ profile: { description, enableLocking } }: PlannedRepoGroup) {
  return {
    description: { source: description, here: description },
    enableLocking: { source: enableLocking, here: enableLocking },
  } satisfies Parts;
}

const rightsOf = ({ rows, profile, levelOf }: PlannedRepoGroup): SourceRights => ({
  pairs: pairsOfSource(rows, profile.ownerId),
  levelOf,
});

async function lockGroup(tx: Transaction, id: number) {
  const { description, enableLocking, ownerId } = repoGroups;
  const [row] = await tx
    .select({ description, enableLocking, ownerId })
    .from(repoGroups)
    .where(eq(repoGroups.id, id))
    .for('update');
  return row;
}

async function create(writing: Writing, tx: Transaction, group: PlannedRepoGroup): Promise<number> {
  const { name, createdAt, profile } = group;
  const parentId = await lockParent(tx, name);
  await tx.insert(names).values({ name, kind: 'group' });
  const row = {
    name,
    parentId,
    ...profile,
    ownerId: ownerHere(writing, profile.ownerId),
    ...(createdAt && { createdAt }),
  };
  const [inserted] = await tx.insert(repoGroups).values(row).returning({ id: repoGroups.id });
  if (!inserted) throw new Error('no repository group was inserted');
  await writeNewRights(writing, tx, { kind: 'repo_group', id: inserted.id }, rightsOf(group));
  await recordChange(tx, 'create_repo_group', { group_name: name });
  return inserted.id;
}

/** Brings what has changed in the source; returns what to record, and the names of the parts. */
async function update(writing: Writing, tx: Transaction, group: PlannedRepoGroup, before: ImportedObject) {
  const { digests, findings } = writing;
  const { objectId: id, parts: former } = before;
  const about = `repository group ${group.name}`;
  const merge = await mergeParts(digests, former.digests, partsOf(group), async () => (await lockGroup(tx, id)) ?? {});
  const sides = { before: former.pairs?.['rights'], source: rightsOf(group) };
  const rights = await bringRights(writing, tx, { kind: 'repo_group', id, about }, sides, () => lockGroup(tx, id));
  const { description, enableLocking } = group.profile;
  const values = {
    ...(merge.apply.has('description') && { description }),
    ...(merge.apply.has('enableLocking') && { enableLocking }),
    ...(rights.changed && { ownerId: rights.changed.ownerId }),
  };
  const changed = new Set([...merge.apply, ...(rights.changed ? ['rights'] : [])]);
  if (changed.size > 0) {
    await tx.update(repoGroups).set(values).where(eq(repoGroups.id, id));
    await recordChange(tx, 'update_repo_group', { repogroupid: group.name, changed: [...changed] });
  }
  tellKept(findings, about, [...merge.kept, ...rights.kept]);
  return { changed, parts: { ...nothingBrought, digests: merge.digests, pairs: { rights: rights.pairs } } };
}

async function writeOne(writing: Writing, tx: Transaction, group: PlannedRepoGroup): Promise<void> {
  const { digests, here, source, ids, sums } = writing;
  const before = here.imported.get(importedKey('repo_group', group.id));
  const objectId = before?.objectId ?? (await create(writing, tx, group));
  const pairs = { rights: rightsOf(group).pairs };
  const { changed, parts } = before
    ? await update(writing, tx, group, before)
    : {
        changed: new Set<string>(),
        parts: { ...nothingBrought, digests: digestParts(digests, partsOf(group)), pairs },
      };
  await recordImported(tx, { source, kind: 'repo_group', sourceId: group.id, objectId, parts }, before);
  ids.repoGroups.set(group.id, objectId);
  count(sums, !before, changed);
}

export async function writeRepoGroups(writing: Writing, planned: readonly PlannedRepoGroup[]): Promise<void> {
  await inBatches(writing, planned, (tx, group) => writeOne(writing, tx, group));
}
