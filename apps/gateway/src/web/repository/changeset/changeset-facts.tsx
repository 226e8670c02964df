import type { BriefChangeset } from '@trunkline/contracts';
import type { Child } from 'hono/jsx';
import { pathTo } from '../../http/path-segments.ts';
import { When } from '../../layout/inline.tsx';
import { age } from '../../render/quantities.ts';
import { cutText, shownLines, shownText } from '../../render/shown-text.ts';
import { messageParts } from '../../render/changeset-text.ts';
import { RefBadges, type ChangesetRefs } from '../refs/changeset-refs.tsx';
import type { ShownChangeset } from './read-changeset.ts';

const relativesMax = 20;
const aboutCharsMax = 1_000;
const authorCharsMax = 1_000;
const messageCharsMax = 200_000;

interface RelativesProps {
  readonly base: string;
  readonly ids: readonly string[];
  /** What is known of changesets beside their ids. */
  readonly known: readonly BriefChangeset[];
}

/** Renders parents or children, each with the first line of its message. */
function Relatives({ base, ids, known }: RelativesProps) {
  const aboutOf = (id: string) => known.find((one) => one.raw_id === id)?.message;
  return (
    <ul class="plain">
      {ids.slice(0, relativesMax).map((id) => (
        <li>
          <a class="mono" href={`${base}/changeset/${id}`}>
            {id}
          </a>{' '}
          {shownText(aboutOf(id) ?? '')}
        </li>
      ))}
      {ids.length > relativesMax && <li>and {ids.length - relativesMax} more</li>}
    </ul>
  );
}

interface Props {
  readonly repository: string;
  readonly shown: ShownChangeset;
  readonly refs: ChangesetRefs | undefined;
}

/** Renders the message of a changeset: the first line as a heading, the rest below. */
export function ChangesetHead({ message }: { message: string }) {
  const { about, more } = messageParts(cutText(message, messageCharsMax).replaceAll('\r\n', '\n'));
  const isLong = about.length > aboutCharsMax;
  return (
    <>
      <h2 class="subject">{shownText(cutText(about, aboutCharsMax)) || 'No message'}</h2>
      {(isLong || more !== '') && <p class="message">{shownLines(isLong ? `${about}\n\n${more}` : more)}</p>}
    </>
  );
}

/** Renders links to the changesets before and after one: its first parent, and its child where there is one alone. */
export function Neighbours({ repository, shown: { changeset, children } }: Pick<Props, 'repository' | 'shown'>) {
  const base = pathTo(repository, 'changeset');
  const previous = changeset.parents[0];
  const next = children?.length === 1 ? children[0]?.raw_id : undefined;
  if (previous === undefined && next === undefined) return <></>;
  return (
    <nav class="neighbours" aria-label="Neighbouring changesets">
      {previous !== undefined && (
        <a href={`${base}/${previous}`} rel="prev">
          ← Previous changeset
        </a>
      )}
      {next !== undefined && (
        <a href={`${base}/${next}`} rel="next">
          Next changeset →
        </a>
      )}
    </nav>
  );
}

function DateFact({ date }: { date: string }) {
  return (
    <>
      {age(new Date(`${date}Z`), new Date()).title}{' '}
      <span class="soft">
        (<When date={date} />)
      </span>
    </>
  );
}

function Fact({ name, children }: { name: string; children: Child }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** Renders who made a changeset, and when. */
function Makers({ shown: { changeset, committer = null, authored = null } }: Pick<Props, 'shown'>) {
  const { author, date } = changeset;
  const who = (text: string) => shownText(cutText(text, authorCharsMax)) || 'unknown';
  return (
    <>
      <Fact name="Author">{who(author)}</Fact>
      {committer !== null && committer !== author && <Fact name="Committer">{who(committer)}</Fact>}
      {authored !== null && authored !== date && (
        <Fact name="Written">
          <DateFact date={authored} />
        </Fact>
      )}
      <Fact name="Date">
        <DateFact date={date} />
      </Fact>
    </>
  );
}

/** Renders the metadata of a changeset. */
export function ChangesetFacts({ repository, shown, refs }: Props) {
  const { changeset, parents: knownParents = [], children = null } = shown;
  const { raw_id: id, branch, parents } = changeset;
  const base = pathTo(repository);
  return (
    <dl class="facts">
      <dt>Changeset</dt>
      <dd>
        <span class="mono">{id}</span> <a href={`${base}/files/${id}`}>Files</a>
      </dd>
      <Fact name={parents.length > 1 ? 'Parents' : 'Parent'}>
        {parents.length === 0 ? (
          'none (first changeset of its history)'
        ) : (
          <Relatives base={base} ids={parents} known={knownParents} />
        )}
      </Fact>
      {children !== null && children.length > 0 && (
        <Fact name={children.length > 1 ? 'Children' : 'Child'}>
          <Relatives base={base} ids={children.map((one) => one.raw_id)} known={children} />
        </Fact>
      )}
      <Makers shown={shown} />
      {branch !== null && (
        <Fact name="Branch">
          <a href={`${base}/changelog?${new URLSearchParams({ branch }).toString()}`}>{shownText(branch)}</a>
        </Fact>
      )}
      {refs && refs.count > 0 && (
        <Fact name="References">
          <RefBadges found={refs} />
        </Fact>
      )}
    </dl>
  );
}
