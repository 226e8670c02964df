import type { NameMeaning, RefRecord } from '@trunkline/contracts';
import { fullName } from '../full-name.ts';
import type { RepositoryHead } from '../repository-head.ts';
import { RefPicker, type RevisionChoices } from '../refs/ref-picker.tsx';
import { fileAddress, isAddressable, type FileLocation } from './file-address.ts';

export const choicesMax = 500;

const groups = [
  { label: 'Branches', has: ({ kind, closed }: RefRecord) => kind === 'branch' && !closed },
  { label: 'Bookmarks', has: ({ kind }: RefRecord) => kind === 'bookmark' },
  { label: 'Tags', has: ({ kind }: RefRecord) => kind === 'tag' },
  { label: 'Closed branches', has: ({ closed }: RefRecord) => closed },
];

/** Returns the revisions to choose from, grouped by kind, of a page of references. */
export function revisionChoices(
  type: RepositoryHead['repo_type'],
  { refs, next }: { refs: readonly RefRecord[]; next: string | null },
): RevisionChoices {
  const offered = refs.filter(({ name }) => isAddressable(name));
  const choiceOf = (ref: RefRecord) => ({ name: ref.name, revision: fullName(type, ref) });
  const named = groups.map(({ label, has }) => ({ label, choices: offered.filter(has).map(choiceOf) }));
  return { groups: named.filter(({ choices }) => choices.length > 0), isComplete: next === null };
}

/** Returns the choice that a revision of an address is: its full name, where it stands for a reference. */
export function chosenRevision(
  type: RepositoryHead['repo_type'],
  revision: string,
  meaning: NameMeaning | undefined,
): string {
  const kind = meaning?.taken_for;
  const isReference = kind === 'branch' || kind === 'bookmark' || kind === 'tag';
  return isReference ? fullName(type, { kind, name: revision, raw_id: revision }) : revision;
}

interface Props {
  readonly location: FileLocation;
  /** The revision of the location, as the choices name it. */
  readonly chosen: string;
  readonly choices: RevisionChoices;
  readonly isPlain: boolean;
  /** The page that shows another revision; by default that of files. */
  readonly page?: Parameters<typeof fileAddress>[0];
}

/** Renders the control that shows the same path at another revision. */
export function RevisionForm({ location, chosen, choices, isPlain, page = 'files' }: Props) {
  const kept = isPlain ? { plain: '1' } : {};
  const query = new URLSearchParams(kept).toString();
  return (
    <RefPicker
      repository={location.repository}
      chosen={chosen}
      choices={choices}
      action={fileAddress(page, location)}
      kept={kept}
      hrefOf={(revision) => `${fileAddress(page, { ...location, revision })}${query && '?'}${query}`}
    />
  );
}
