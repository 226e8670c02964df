import { sizeText, type BriefChangeset } from '@trunkline/contracts';
import { pathTo } from '../../http/path-segments.ts';
import { When } from '../../layout/inline.tsx';
import { cutText, shownText } from '../../render/shown-text.ts';
import { fileAddress, isAddressableEntry, within, type FileLocation } from './file-address.ts';
import { Subject } from './last-change.tsx';
import type { FilesPage } from './read-files-page.ts';
import { submoduleLink, submoduleText } from './submodule-address.ts';

const shapes = {
  dir: 'M1.5 3.5h4.6l1.6 1.9h6.8v7.6h-13z',
  file: 'M3.5 1.5h5.8l3.2 3.2v9.8h-9zM9 1.8v3.2h3.2',
  executable: 'M3.5 1.5h5.8l3.2 3.2v9.8h-9zM6.4 7v5l3.8-2.5z',
  symlink: 'M3.5 14.5v-13h5.8l3.2 3.2v9.8zM5.6 11.5c0-2.6 1.4-3.6 4-3.6M8 6l2 1.9-2 1.9',
  submodule: 'M8 1.5l5.8 3.2v6.6l-5.8 3.2-5.8-3.2v-6.6zM2.4 4.8l5.6 3.2 5.6-3.2M8 8v6.3',
} as const;

const names = {
  dir: 'Directory',
  file: 'File',
  executable: 'Executable file',
  symlink: 'Symbolic link',
  submodule: 'Submodule',
} as const;

/** Renders the icon of a directory entry's kind, with a label. */
function EntryIcon({ kind }: { kind: keyof typeof shapes }) {
  return (
    <>
      <svg class={`entry-icon ${kind}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={shapes[kind]} />
      </svg>
      <span class="visually-hidden">{names[kind]} </span>
    </>
  );
}

type Entry = NonNullable<NonNullable<FilesPage['shown']>['entries']>[number];

function EntryName({ location, entry: { name } }: { location: FileLocation; entry: Entry }) {
  const shown = shownText(name);
  if (!isAddressableEntry(name)) return <span>{shown}</span>;
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

interface RowProps {
  readonly location: FileLocation;
  readonly entry: Entry;
  /** The newest changeset that changed the entry; absent where none is known. */
  readonly change: BriefChangeset | undefined;
}

/** Renders an entry of a directory, with its last change. */
export function DirectoryRow({ location, entry, change }: RowProps) {
  const { repository } = location;
  return (
    <tr>
      <td>
        <EntryIcon kind={entry.executable ? 'executable' : entry.kind} />
        <EntryName location={location} entry={entry} />
        {entry.kind === 'submodule' && <span class="badge">submodule</span>}
        {entry.submodule && <SubmoduleFacts repository={repository} submodule={entry.submodule} />}
      </td>
      <td class="change">
        {change && (
          <a href={pathTo(repository, 'changeset', change.raw_id)}>
            <Subject message={change.message} />
          </a>
        )}
      </td>
      <td class="age">{change && <When date={change.date} />}</td>
      <td class="number">{entry.size !== null && sizeText(entry.size)}</td>
    </tr>
  );
}
