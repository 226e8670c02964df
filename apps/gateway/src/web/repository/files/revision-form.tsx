import { pathTo } from '../../http/path-segments.ts';
import { shownText } from '../../render/text/shown-text.ts';
import { fileAddress, type FileLocation } from './file-address.ts';
import type { RevisionChoices } from './revision-choices.ts';

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
