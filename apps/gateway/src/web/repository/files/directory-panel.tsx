import { sizeText } from '@trunkline/contracts';
import { cutText, shownText } from '../../render/shown-text.ts';
import { fileAddress, isAddressableEntry, within, type FileLocation } from './file-address.ts';
import { submoduleLink, submoduleText } from './submodule-address.ts';

const shapes = {
  dir: 'M1.5 3.5h4.6l1.6 1.9h6.8v7.6h-13z',
  file: 'M3.5 1.5h5.8l3.2 3.2v9.8h-9zM9 1.8v3.2h3.2',
  symlink: 'M3.5 14.5v-13h5.8l3.2 3.2v9.8zM5.6 11.5c0-2.6 1.4-3.6 4-3.6M8 6l2 1.9-2 1.9',
  submodule: 'M8 1.5l5.8 3.2v6.6l-5.8 3.2-5.8-3.2v-6.6zM2.4 4.8l5.6 3.2 5.6-3.2M8 8v6.3',
} as const;

const names = { dir: 'Directory', file: 'File', symlink: 'Symbolic link', submodule: 'Submodule' } as const;

type EntryKind = keyof typeof shapes;

/** Renders the icon of a directory entry's kind, with a label. */
function EntryIcon({ kind }: { kind: EntryKind }) {
  return (
    <>
      <svg class={`entry-icon ${kind}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={shapes[kind]} />
      </svg>
      <span class="visually-hidden">{names[kind]} </span>
    </>
  );
}

interface Entry {
  readonly name: string;
  readonly kind: EntryKind;
  readonly size: number | null;
  readonly submodule?: { readonly commit: string; readonly address: string | null } | undefined;
}

interface Props {
  readonly location: FileLocation;
  readonly entries: readonly Entry[];
  /** The requested page number; any number that is no page means 1. */
  readonly page: number;
}

const entriesPerPage = 1_000;

function EntryName({ location, entry: { name, kind } }: { location: FileLocation; entry: Entry }) {
  const shown = shownText(name);
  if (kind === 'submodule' || !isAddressableEntry(name)) return <span>{shown}</span>;
  return <a href={fileAddress('files', within(location, name))}>{shown}</a>;
}

const commitCharsMax = 12;
const addressCharsMax = 200;

/** Renders what is known of a submodule: its commit, and its address, which leads to it where browsers can follow. */
export function SubmoduleFacts({
  repository,
  submodule,
}: {
  repository: string;
  submodule: NonNullable<Entry['submodule']>;
}) {
  const { commit, address } = submodule;
  const href = address === null ? null : submoduleLink(address, repository);
  const text = address === null ? '' : shownText(cutText(submoduleText(address), addressCharsMax));
  return (
    <>
      {' '}
      <span class="mono">{shownText(commit.slice(0, commitCharsMax))}</span>{' '}
      {href === null ? (
        <span class="soft">{text}</span>
      ) : (
        <a href={href} rel="nofollow noopener noreferrer">
          {text}
        </a>
      )}
    </>
  );
}

function Pages({ address, page, pages }: { address: string; page: number; pages: number }) {
  if (pages === 1) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {page > 1 && (
        <a href={page === 2 ? address : `${address}?page=${page - 1}`} rel="prev">
          Previous page
        </a>
      )}
      <span>
        Page {page} of {pages}
      </span>
      {page < pages && (
        <a href={`${address}?page=${page + 1}`} rel="next">
          Next page
        </a>
      )}
    </nav>
  );
}

/** Renders the entries of a directory, in pages of `entriesPerPage`. */
export function DirectoryPanel({ location, entries, page: wanted }: Props) {
  const pages = Math.max(1, Math.ceil(entries.length / entriesPerPage));
  const page = wanted >= 1 && wanted <= pages ? wanted : 1;
  const shown = entries.slice((page - 1) * entriesPerPage, page * entriesPerPage);
  if (shown.length === 0) return <p>There are no files at this revision.</p>;
  return (
    <>
      <table class="directory">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col" class="number">
              Size
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((entry) => (
            <tr>
              <td>
                <EntryIcon kind={entry.kind} />
                <EntryName location={location} entry={entry} />
                {entry.kind === 'submodule' && <span class="badge">submodule</span>}
                {entry.submodule && <SubmoduleFacts repository={location.repository} submodule={entry.submodule} />}
              </td>
              <td class="number nowrap">{entry.size !== null && sizeText(entry.size)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Pages address={fileAddress('files', location)} page={page} pages={pages} />
    </>
  );
}
