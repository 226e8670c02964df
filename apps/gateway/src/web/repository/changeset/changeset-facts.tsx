import type { HistoryRecord } from '@trunkline/contracts';
import { pathTo } from '../../http/path-segments.ts';
import { When } from '../../layout/inline.tsx';
import { age } from '../../render/quantities.ts';
import { cutText, shownLines, shownText } from '../../render/shown-text.ts';
import { messageParts } from '../../render/changeset-text.ts';
import { RefBadges, type ChangesetRefs } from '../refs/changeset-refs.tsx';

const parentsMax = 20;
const aboutCharsMax = 1_000;
const authorCharsMax = 1_000;
const messageCharsMax = 200_000;

function Parents({ base, parents }: { base: string; parents: readonly string[] }) {
  if (parents.length === 0) return <dd>none (first changeset of its history)</dd>;
  return (
    <dd>
      <ul class="plain">
        {parents.slice(0, parentsMax).map((parent) => (
          <li>
            <a class="mono" href={`${base}/changeset/${parent}`}>
              {parent}
            </a>
          </li>
        ))}
        {parents.length > parentsMax && <li>and {parents.length - parentsMax} more</li>}
      </ul>
    </dd>
  );
}

interface Props {
  readonly repository: string;
  readonly changeset: HistoryRecord;
  readonly refs: ChangesetRefs | undefined;
}

/** Renders the message of a changeset: the first line as a heading, the rest below. */
export function ChangesetHead({ changeset: { message } }: Pick<Props, 'changeset'>) {
  const { about, more } = messageParts(cutText(message, messageCharsMax).replaceAll('\r\n', '\n'));
  const isLong = about.length > aboutCharsMax;
  return (
    <>
      <h2>{shownText(cutText(about, aboutCharsMax)) || 'No message'}</h2>
      {(isLong || more !== '') && <p class="message">{shownLines(isLong ? `${about}\n\n${more}` : more)}</p>}
    </>
  );
}

/** Renders the metadata of a changeset. */
export function ChangesetFacts({ repository, changeset, refs }: Props) {
  const { raw_id: id, author, date, branch, parents } = changeset;
  const base = pathTo(repository);
  return (
    <dl class="facts">
      <dt>Changeset</dt>
      <dd>
        <span class="mono">{id}</span> <a href={`${base}/files/${id}`}>Files</a>
      </dd>
      <dt>{parents.length > 1 ? 'Parents' : 'Parent'}</dt>
      <Parents base={base} parents={parents} />
      <dt>Author</dt>
      <dd>{shownText(cutText(author, authorCharsMax)) || 'unknown'}</dd>
      <dt>Date</dt>
      <dd>
        {age(new Date(`${date}Z`), new Date()).title}{' '}
        <span class="soft">
          (<When date={date} />)
        </span>
      </dd>
      {branch !== null && (
        <>
          <dt>Branch</dt>
          <dd>
            <a href={`${base}/changelog?${new URLSearchParams({ branch }).toString()}`}>{shownText(branch)}</a>
          </dd>
        </>
      )}
      {refs && refs.count > 0 && (
        <>
          <dt>References</dt>
          <dd>
            <RefBadges found={refs} />
          </dd>
        </>
      )}
    </dl>
  );
}
