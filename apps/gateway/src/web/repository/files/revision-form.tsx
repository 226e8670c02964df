import type { NameMeaning, RefRecord } from '@trunkline/contracts';
import { fullName } from '../full-name.ts';
import type { RepositoryHead } from '../repository-head.ts';
import { fileAddress, isAddressable, type FileLocation } from './file-address.ts';
import { pathTo } from '../../http/path-segments.ts';
import { shownText } from '../../render/shown-text.ts';

interface Choice {
  readonly name: string;
  /** The full name, so that no number and no reference of another kind is shown instead. */
  readonly revision: string;
}

interface RevisionGroup {
  readonly label: string;
  readonly choices: readonly Choice[];
}

interface RevisionChoices {
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
}

/** Returns the beginning of a changeset's id; any other revision is returned whole. */
function shortName(revision: string): string {
  return /^[0-9a-f]{40}$/.test(revision) ? revision.slice(0, 12) : revision;
}

function Revision({ choice: { name, revision }, chosen }: { choice: Choice; chosen: string }) {
  return (
    <option value={revision} selected={revision === chosen}>
      {shownText(name)}
    </option>
  );
}

/** Renders the form that shows the same path at another revision. */
export function RevisionForm({ location, chosen, choices: { groups, isComplete }, isPlain }: Props) {
  const { repository, revision: asked } = location;
  const isListed =
    chosen === 'tip' || groups.some(({ choices }) => choices.some(({ revision }) => revision === chosen));
  return (
    <form class="revisions" method="get" action={fileAddress('files', location)}>
      <label for="at">Revision</label>
      <select id="at" name="at">
        {!isListed && <Revision choice={{ name: shortName(asked), revision: asked }} chosen={asked} />}
        <Revision choice={{ name: 'tip', revision: 'tip' }} chosen={chosen} />
        {groups.map(({ label, choices }) => (
          <optgroup label={label}>
            {choices.map((choice) => (
              <Revision choice={choice} chosen={chosen} />
            ))}
          </optgroup>
        ))}
      </select>
      {!isComplete && <input name="named" type="search" aria-label="Other revision" placeholder="other revision" />}
      {isPlain && <input type="hidden" name="plain" value="1" />}
      <button class="plain">Show</button>
      {!isComplete && (
        <p class="hint">
          This list is incomplete. See all <a href={pathTo(repository, 'branches')}>branches</a> and{' '}
          <a href={pathTo(repository, 'tags')}>tags</a>.
        </p>
      )}
    </form>
  );
}
