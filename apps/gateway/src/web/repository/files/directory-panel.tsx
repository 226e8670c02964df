import { fileSize } from '../../render/text/file-size.ts';
import { shownText } from '../../render/text/shown-text.ts';
import { EntryIcon, type EntryKind } from './entry-icon.tsx';
import { fileAddress, isAddressableEntry, within, type FileLocation } from './file-address.ts';

interface Entry {
  readonly name: string;
  readonly kind: EntryKind;
  readonly size: number | null;
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
              </td>
              <td class="number nowrap">{entry.size !== null && fileSize(entry.size)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Pages address={fileAddress('files', location)} page={page} pages={pages} />
    </>
  );
}
