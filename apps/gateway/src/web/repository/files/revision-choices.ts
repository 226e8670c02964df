import type { RefRecord } from '@trunkline/contracts';
import { isAddressable } from './file-address.ts';

export interface RevisionGroup {
  readonly label: string;
  readonly revisions: readonly string[];
}

export interface RevisionChoices {
  readonly groups: readonly RevisionGroup[];
  readonly isComplete: boolean;
}

export const choicesMax = 500;

const groups = [
  { label: 'Branches', has: ({ kind, closed }: RefRecord) => kind === 'branch' && !closed },
  { label: 'Bookmarks', has: ({ kind }: RefRecord) => kind === 'bookmark' },
  { label: 'Tags', has: ({ kind }: RefRecord) => kind === 'tag' },
  { label: 'Closed branches', has: ({ closed }: RefRecord) => closed },
];

/** Returns the revisions to choose from, grouped by kind, of a page of references. */
export function revisionChoices({ refs, next }: { refs: readonly RefRecord[]; next: string | null }): RevisionChoices {
  const offered = refs.filter(({ name }) => name !== 'tip' && isAddressable(name));
  const named = groups.map(({ label, has }) => ({ label, revisions: offered.filter(has).map(({ name }) => name) }));
  return { groups: named.filter(({ revisions }) => revisions.length > 0), isComplete: next === null };
}
