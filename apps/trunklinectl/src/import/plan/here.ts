/** Kinds of what a second run recognises. */
export type ImportedKind = 'user' | 'user_group' | 'repo_group' | 'repository' | 'settings';

export interface ImportedObject {
  readonly objectId: number;
  /** Digests of what was brought, by which a second run knows what has changed in the source. */
  readonly parts: Readonly<Record<string, string>>;
}

/** What this instance has before an import. */
export interface Here {
  /** Objects of the same source that are still there, by kind and id of the source. */
  readonly imported: ReadonlyMap<string, ImportedObject>;
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

/** Returns the id here of what was imported before; null for what was not, or is gone. */
export function importedId({ imported }: Here, kind: ImportedKind, sourceId: number): number | null {
  return imported.get(importedKey(kind, sourceId))?.objectId ?? null;
}
