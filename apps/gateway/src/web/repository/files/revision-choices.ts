import type { ResultOfMethod, Served } from '@trunkline/contracts';
import { isAddressable } from './file-address.ts';

export interface RevisionGroup {
  readonly label: string;
  readonly revisions: readonly string[];
}

export interface RevisionChoices {
  readonly groups: readonly RevisionGroup[];
  readonly isComplete: boolean;
}

const choicesMax = 500;

/** Returns the revisions to choose from, at most `choicesMax`, with open branches before closed ones. */
export function revisionChoices(refs: ResultOfMethod<Served['get_repo_refs']>): RevisionChoices {
  const named = [
    { label: 'Branches', refs: refs.branches },
    { label: 'Bookmarks', refs: refs.bookmarks },
    { label: 'Tags', refs: refs.tags },
    { label: 'Closed branches', refs: refs.branches_closed },
  ].map((group) => ({
    label: group.label,
    names: Object.keys(group.refs).filter((name) => name !== 'tip' && isAddressable(name)),
  }));
  let remaining = choicesMax;
  const groups = named.map(({ label, names }) => {
    const revisions = names.slice(0, remaining);
    remaining -= revisions.length;
    return { label, revisions };
  });
  const isComplete = named.every(({ names }, index) => names.length === groups[index]?.revisions.length);
  return { groups: groups.filter(({ revisions }) => revisions.length > 0), isComplete };
}
