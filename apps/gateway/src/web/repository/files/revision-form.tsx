import type { RefRecord } from '@trunkline/contracts';
import { fileAddress, isAddressable, type FileLocation } from './file-address.ts';
import { pathTo } from '../../http/path-segments.ts';
import { shownText } from '../../render/shown-text.ts';

interface RevisionGroup {
  readonly label: string;
  readonly revisions: readonly string[];
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
export function revisionChoices({ refs, next }: { refs: readonly RefRecord[]; next: string | null }): RevisionChoices {
  const offered = refs.filter(({ name }) => name !== 'tip' && isAddressable(name));
  const named = groups.map(({ label, has }) => ({ label, revisions: offered.filter(has).map(({ name }) => name) }));
  return { groups: named.filter(({ revisions }) => revisions.length > 0), isComplete: next === null };
}

interface Props {
  readonly location: FileLocation;
  readonly choices: RevisionChoices;
  readonly isPlain: boolean;
}

/** Returns the beginning of a changeset's id; any other revision is returned whole. */
function shortName(revision: string): string {
  return /^[0-9a-f]{40}$/.test(revision) ? revision.slice(0, 12) : shownText(revision);
}

function Revision({ revision, current }: { revision: string; current: string }) {
  return (
    <option value={revision} selected={revision === current}>
      {shortName(revision)}
    </option>
  );
}

/** Renders the form that shows the same path at another revision. */
export function RevisionForm({ location, choices: { groups, isComplete }, isPlain }: Props) {
  const { repository, revision } = location;
  const isListed = revision === 'tip' || groups.some(({ revisions }) => revisions.includes(revision));
  return (
    <form class="revisions" method="get" action={fileAddress('files', location)}>
      <label for="at">Revision</label>
      <select id="at" name="at">
        {!isListed && <Revision revision={revision} current={revision} />}
        <Revision revision="tip" current={revision} />
        {groups.map(({ label, revisions }) => (
          <optgroup label={label}>
            {revisions.map((name) => (
              <Revision revision={name} current={revision} />
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
