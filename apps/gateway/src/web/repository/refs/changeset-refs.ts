import type { ResultOfMethod, Served } from '@trunkline/contracts';

export type Refs = ResultOfMethod<Served['get_repo_refs']>;

export interface Ref {
  readonly kind: 'branch' | 'tag' | 'bookmark';
  readonly name: string;
  readonly rawId: string;
  readonly isClosed: boolean;
}

function refsOf(kind: Ref['kind'], found: Refs['tags'], isClosed = false): Ref[] {
  return Object.entries(found).map(([name, rawId]) => ({ kind, name, rawId, isClosed }));
}

function byName(a: Ref, b: Ref): number {
  return a.name < b.name ? -1 : 1;
}

/** Returns the references of one kind, sorted by name, closed branches last. */
export function sortedRefs(refs: Refs, kind: Ref['kind']): Ref[] {
  if (kind === 'tag') return refsOf(kind, refs.tags).toSorted(byName);
  if (kind === 'bookmark') return refsOf(kind, refs.bookmarks).toSorted(byName);
  return [
    ...refsOf(kind, refs.branches).toSorted(byName),
    ...refsOf(kind, refs.branches_closed, true).toSorted(byName),
  ];
}

/** Returns the references to each changeset, by the changesets' ids. */
export function refsByChangeset(refs: Refs, rawIds: readonly string[]): ReadonlyMap<string, readonly Ref[]> {
  const found = new Map<string, Ref[]>(rawIds.map((rawId) => [rawId, []]));
  for (const kind of ['branch', 'bookmark', 'tag'] as const) {
    for (const ref of sortedRefs(refs, kind)) found.get(ref.rawId)?.push(ref);
  }
  return found;
}
