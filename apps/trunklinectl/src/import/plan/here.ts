import type { ImportedParts } from '@trunkline/db';

/** Kinds of what a second run recognises. */
export type ImportedKind = 'user' | 'user_group' | 'repo_group' | 'repository' | 'settings';

export interface ImportedObject {
  readonly objectId: number;
  /** By these a further run knows what has changed since, in the source and here. */
  readonly parts: ImportedParts;
}

/** What this instance has before an import. */
export interface Here {
  /** Objects of the same source that are still there, by kind and id of the source. */
  readonly imported: ReadonlyMap<string, ImportedObject>;
  /** Keys of objects of the same source that were imported, and deleted here since. */
  readonly deleted: ReadonlySet<string>;
  /** Whether an earlier build has recorded some of them, without what it has brought. */
  readonly hasFormerRows: boolean;
  /** Whether the instance has users who are no administrators, repositories or groups that this source has not brought. */
  readonly isShared: boolean;
  /** Names by id. */
  readonly usernames: ReadonlyMap<number, string>;
  readonly userGroups: ReadonlyMap<number, string>;
  readonly repoGroups: ReadonlyMap<number, string>;
  readonly repositories: ReadonlyMap<number, string>;
  /** Ids of users by the folded form of their addresses. */
  readonly emails: ReadonlyMap<string, number>;
}

export function importedKey(kind: ImportedKind, sourceId: number): string {
  return `${kind} ${sourceId}`;
}

/** Returns those of a list that were not deleted here since they were imported. */
export function withoutDeleted<T extends { readonly id: number }>(
  { deleted }: Here,
  kind: ImportedKind,
  all: readonly T[],
): readonly T[] {
  return all.filter(({ id }) => !deleted.has(importedKey(kind, id)));
}

/** Returns the id here of what was imported before; null for what was not, or is gone. */
export function importedId({ imported }: Here, kind: ImportedKind, sourceId: number): number | null {
  return imported.get(importedKey(kind, sourceId))?.objectId ?? null;
}
