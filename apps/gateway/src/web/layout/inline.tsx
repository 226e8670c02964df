import { sizeText, type ResultOfMethod, type Served } from '@trunkline/contracts';
import { pageText } from '../render/page-text.ts';
import { shownLines, shownText } from '../render/shown-text.ts';
import { age } from '../render/quantities.ts';
import { pathTo } from '../http/path-segments.ts';

/** Renders a text, the parts between backticks as code. */
export function WithCode({ text }: { text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>;
}

/** Renders a text of the API in the words of the pages, with names as code instead of in backticks. */
export function ApiText({ text }: { text: string }) {
  return <WithCode text={shownLines(pageText(text))} />;
}

/** Renders the time stamp of a record, which is in UTC without a zone, as an age. */
export function When({ date }: { date: string }) {
  const { text, title } = age(new Date(`${date}Z`), new Date());
  return (
    <time class="nowrap" {...(title === '' ? {} : { datetime: `${date}Z`, title })}>
      {text}
    </time>
  );
}

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

/** A line about the repositories of a user or a group. */
export function StoredSize({ size, of }: { size: ResultOfMethod<Served['view_stored_size']>; of: string }) {
  const { repositories, size_bytes: bytes, size_unknown: unknown } = size;
  const noun = repositories === 1 ? 'repository' : 'repositories';
  return (
    <p>
      {of}: {repositories} {noun}, {sizeText(bytes)} on the disk
      {unknown > 0 && `, without ${unknown} of unknown size`}.
    </p>
  );
}
