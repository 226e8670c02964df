import type { DescribedRefRecord, RefRecord } from '@trunkline/contracts';
import { encodeName } from '@trunkline/runtime/text';
import { pathTo } from '../../http/path-segments.ts';
import { When } from '../../layout/inline.tsx';
import { messageParts, parseAuthor } from '../../render/changeset-text.ts';
import { cutText, shownLines, shownText } from '../../render/shown-text.ts';
import { fileAddress } from '../files/file-address.ts';
import { linkedName } from '../full-name.ts';
import type { RepositoryHead } from '../repository-head.ts';

/** A reference of a list; what it names is not known from a worker of the former release. */
export type ListedRef = RefRecord & Partial<DescribedRefRecord>;

interface RowProps {
  readonly repository: Pick<RepositoryHead, 'repo_name' | 'repo_type' | 'enable_downloads'>;
  readonly listed: ListedRef;
  /** The reference with which others are compared; null for none. */
  readonly base: RefRecord | null;
}

const whoCharsMax = 60;

function SignatureBadge({ isThere }: { isThere: boolean }) {
  return isThere ? <span class="badge">signed, not checked</span> : null;
}

function Who({ who, date }: { who: string; date: string }) {
  return (
    <span class="soft small">
      {shownText(cutText(parseAuthor(who).name, whoCharsMax))}, <When date={date} />
    </span>
  );
}

/** Renders what an annotated tag says: the first line, and on demand the others. */
function TagMessage({ tag, name }: { tag: NonNullable<ListedRef['tag']>; name: string }) {
  const { about, more } = messageParts(tag.message);
  return (
    <div class="tag-message">
      {shownText(about)} <Who who={tag.tagger} date={tag.date} /> <SignatureBadge isThere={tag.has_signature} />
      {more !== '' && (
        <details>
          <summary>
            More<span class="visually-hidden"> of what the tag {name} says</span>
          </summary>
          <p class="message">{shownLines(more.replaceAll('\r\n', '\n'))}</p>
        </details>
      )}
    </div>
  );
}

function Newest({ repository, listed: { raw_id: rawId, changeset } }: Omit<RowProps, 'base'>) {
  const href = pathTo(repository.repo_name, 'changeset', rawId);
  return (
    <div class="newest">
      {changeset && (
        <>
          <a href={href}>{shownText(changeset.about) || <em>no message</em>}</a>{' '}
          <Who who={changeset.author} date={changeset.date} /> <SignatureBadge isThere={changeset.has_signature} />{' '}
        </>
      )}
      <a class="mono soft" href={href}>
        {rawId.slice(0, 12)}
      </a>
    </div>
  );
}

/** Renders how a reference differs from the default one, with a link to what differs. */
function Comparison({ repository: { repo_name, repo_type: type }, listed, base }: RowProps) {
  const { kind, name, raw_id: rawId, ahead, behind } = listed;
  if (!base || (base.kind === kind && base.name === name) || base.raw_id === rawId) return null;
  const range = `${linkedName(type, base)}...${linkedName(type, listed)}`;
  const counts = [
    [ahead, 'ahead'],
    [behind, 'behind'],
  ] as const;
  return (
    <a href={`${pathTo(repo_name, 'compare')}/${encodeName(range)}`}>
      {counts.flatMap(([count, side]) => (count ? `${count} ${side}` : [])).join(', ') || 'Compare'}
      <span class="visually-hidden"> of {shownText(name)}</span>
    </a>
  );
}

const archiveFormats = ['zip', 'tar.gz'] as const;

function Elsewhere({ repository, listed }: Omit<RowProps, 'base'>) {
  const { repo_name, repo_type: type, enable_downloads: hasDownloads } = repository;
  const { kind, name } = listed;
  const about = <span class="visually-hidden"> of {shownText(name)}</span>;
  return (
    <span class="meta">
      {kind === 'branch' && (
        <a href={`${pathTo(repo_name, 'changelog')}?${new URLSearchParams({ branch: name }).toString()}`}>
          Changelog{about}
        </a>
      )}
      {kind === 'tag' &&
        hasDownloads &&
        archiveFormats.map((format) => (
          <a href={`${pathTo(repo_name, 'archive')}/${encodeName(`${linkedName(type, listed)}.${format}`)}`}>
            {format}
            {about}
          </a>
        ))}
    </span>
  );
}

/** Renders a reference, what it names, and links to what can be seen of it. */
export function RefRow({ repository, listed, base }: RowProps) {
  const { kind, name, closed, tag } = listed;
  const revision = linkedName(repository.repo_type, listed);
  return (
    <li>
      <div class="name">
        <a href={fileAddress('files', { repository: repository.repo_name, revision, path: '' })}>{shownText(name)}</a>{' '}
        {base?.kind === kind && base.name === name && <span class="badge">default</span>}
        {closed && <span class="badge">closed</span>}
      </div>
      <div class="about">
        {tag && <TagMessage tag={tag} name={shownText(name)} />}
        <Newest repository={repository} listed={listed} />
      </div>
      <div class="counts">
        <Comparison repository={repository} listed={listed} base={base} />
      </div>
      <Elsewhere repository={repository} listed={listed} />
    </li>
  );
}
