import type { NameMeaning } from '@trunkline/contracts';
import { cutText, shownText } from '../render/shown-text.ts';
import type { Visit } from '../visit.ts';
import { fullName } from './full-name.ts';
import type { RepositoryHead } from './repository-head.ts';

const meanings = {
  tip: 'the newest changeset',
  id: 'the changeset with this id',
  number: 'the changeset with this number',
  'full name': 'the reference with this full name',
  branch: 'the branch of this name',
  bookmark: 'the bookmark of this name',
  tag: 'the tag of this name',
} as const;

const nameCharsMax = 80;

interface Props {
  readonly repository: Pick<RepositoryHead, 'repo_type'>;
  /** The revision as it was typed. */
  readonly revision: string;
  /** Absent when the worker did not tell it. */
  readonly meaning: NameMeaning | undefined;
  /** Returns the address of the same page at another revision. */
  readonly hrefOf: (revision: string) => string;
}

/** Renders, for a revision that could mean several changesets, which one it means, and links to the others. */
export function NameNote({ repository: { repo_type: type }, revision, meaning, hrefOf }: Props) {
  if (!meaning || meaning.taken_for === null) return <></>;
  const name = shownText(cutText(revision, nameCharsMax));
  const { others, prefix_of: rawId } = meaning;
  const links = [
    ...others.map((other) => ({ at: fullName(type, other), text: `the ${other.kind} ${name}` })),
    ...(rawId === null ? [] : [{ at: rawId, text: `the changeset ${rawId.slice(0, 12)}` }]),
  ];
  if (links.length === 0) return <></>;
  return (
    <p class="warning" role="note">
      “{name}” stands for {meanings[meaning.taken_for]}. There is also{' '}
      {links.map(({ at, text }, index) => (
        <>
          {index > 0 && ' and '}
          <a href={hrefOf(at)}>{text}</a>
        </>
      ))}
      .
    </p>
  );
}

const addressCharsMax = 4_999;

/**
 * Finds the name of a revision at the beginning of an address whose slashes are not escaped, as in `feature/x/README.md`;
 * null when it begins with none.
 */
export async function splitAtName(
  { worker }: Visit,
  repoid: number,
  segments: readonly string[],
): Promise<{ readonly revision: string; readonly path: string } | null> {
  const address = segments.join('/');
  if (segments.length < 2 || address.length > addressCharsMax) return null;
  const { meaning } = await worker.call('list_refs', { repoid, named: `${address}/`, limit: 1 });
  const revision = meaning?.beginning ?? null;
  return revision === null ? null : { revision, path: address.slice(revision.length + 1) };
}

/**
 * Returns whether the first segment of an address can only be the whole revision: pages escape the slashes of names, and
 * link by ids and by names in full.
 */
function isWhole(segment: string): boolean {
  return /\/|^(?:tip$|book:|branch:|tag:|[0-9a-f]{40}$)/.test(segment);
}

/**
 * Finds the revision at the beginning of an address, and the path after it. Where several names could end there, the
 * longest one counts; null when that is what the first segment says, as far as references tell.
 */
export async function splitAtLongest(
  visit: Visit,
  repoid: number,
  segments: readonly string[],
): Promise<{ readonly revision: string; readonly path: string } | null> {
  const [first = ''] = segments;
  return isWhole(first) ? null : splitAtName(visit, repoid, segments);
}

interface Typed {
  readonly type: RepositoryHead['repo_type'];
  readonly revision: string;
  readonly meaning: NameMeaning | undefined;
  /** The id of the changeset that the revision is. */
  readonly rawId: string;
}

/**
 * Returns the revision by which the links of a page go on from a typed one: the same, unless a path after it could be
 * read as the rest of a longer name.
 */
export function linkedRevision({ type, revision, meaning, rawId }: Typed): string {
  if (!meaning?.is_beginning || isWhole(revision)) return revision;
  const { taken_for: kind } = meaning;
  const isReference = kind === 'branch' || kind === 'bookmark' || kind === 'tag';
  return isReference ? fullName(type, { kind, name: revision, raw_id: rawId }) : rawId;
}

/** Reads what a typed revision stands for; not for a full id, to which pages themselves link. */
export async function readMeaning(
  { worker }: Visit,
  repoid: number | string,
  revision: string,
): Promise<NameMeaning | undefined> {
  if (/^[0-9a-f]{40}$/.test(revision)) return undefined;
  return (await worker.call('list_refs', { repoid, named: revision, limit: 1 })).meaning;
}
