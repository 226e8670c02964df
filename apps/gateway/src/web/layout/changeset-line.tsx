import { pathTo } from '../http/path-segments.ts';
import { shownText } from '../render/text/shown-text.ts';
import { When } from './when.tsx';

interface Changeset {
  readonly short_id: string;
  readonly raw_id: string;
  readonly message: string;
  readonly date: string;
}

/** Renders a changeset in one line: its short id, the first line of its message, and its age. */
export function ChangesetLine({ repository, changeset }: { repository: string; changeset: Changeset }) {
  const [about = ''] = changeset.message.trim().split('\n', 1);
  return (
    <span class="changeset-line">
      <a class="mono" href={pathTo(repository, 'changeset', changeset.raw_id)}>
        {changeset.short_id}
      </a>{' '}
      {shownText(about) || <em>no message</em>} <When date={changeset.date} />
    </span>
  );
}
