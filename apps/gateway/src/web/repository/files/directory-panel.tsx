import { shownEntriesMax } from '@trunkline/contracts';
import { DirectoryRow } from './directory-row.tsx';
import { fileAddress, type FileLocation } from './file-address.ts';
import { LastChange } from './last-change.tsx';
import type { FilesPage } from './read-files-page.ts';

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

interface Props {
  readonly location: FileLocation;
  readonly shown: Pick<NonNullable<FilesPage['shown']>, 'changeset' | 'entries'>;
  /** The last changes of the entries of the page; null where they are not known yet, absent where nobody tells them. */
  readonly changes: FilesPage['changes'];
  /** The requested page number; one that is no page means 1. */
  readonly page: number;
  /** The link to the history, where it is not that of the directory. */
  readonly history?: { readonly href: string; readonly title: string };
}

/** Renders the entries of a directory in pages, each with its last change, below the last change of all. */
export function DirectoryPanel({ location, shown, changes, page: wanted, history }: Props) {
  const { changeset, entries } = shown;
  const { repository, path } = location;
  const all = entries ?? [];
  const pages = Math.max(1, Math.ceil(all.length / shownEntriesMax));
  const page = wanted <= pages ? wanted : 1;
  const first = (page - 1) * shownEntriesMax;
  const changeOf = (index: number) => changes?.changesets[changes.entries[index] ?? -1];
  const newest = path === '' ? changeset : (changes?.newest ?? changeset);
  const ofDirectory = { href: fileAddress('changelog', location), title: 'History' };
  if (all.length === 0) return <p>There are no files at this revision.</p>;
  return (
    <>
      <div class="panel directory-panel">
        <LastChange repository={repository} changeset={newest} history={history ?? ofDirectory} />
        {changes === null && (
          <p class="hint">The last changes are still being read. They are here when this page is loaded again.</p>
        )}
        <table class="directory">
          <thead class="visually-hidden">
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Last change</th>
              <th scope="col">Age</th>
              <th scope="col">Size</th>
            </tr>
          </thead>
          <tbody>
            {all.slice(first, first + shownEntriesMax).map((entry, index) => (
              <DirectoryRow location={location} entry={entry} change={changeOf(index)} />
            ))}
          </tbody>
        </table>
      </div>
      <Pages address={fileAddress('files', location)} page={page} pages={pages} />
    </>
  );
}
