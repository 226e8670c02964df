import type { PathChange, ResultOfMethod, Served } from '@trunkline/contracts';
import { pathTo } from '../../http/path-segments.ts';
import { When } from '../../layout/inline.tsx';
import { Pager } from '../../layout/list-controls.tsx';
import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import { messageParts, parseAuthor } from '../../render/changeset-text.ts';
import { cutText, shownText } from '../../render/shown-text.ts';
import type { Visit } from '../../visit.ts';
import { changeAnchor, fileAddress, isAddressablePath, type FileLocation } from '../files/file-address.ts';
import { presentRevision } from '../refs/ref-picker.tsx';
import { readHead } from '../repository-head.ts';
import type { PageAddress } from '../repository-page.ts';
import { callOfThisRelease, readAtAddress } from './read-at-address.tsx';

const perPage = 50;
const aboutCharsMax = 300;
const authorCharsMax = 100;

type History = ResultOfMethod<Served['get_file_history']>;

interface ChangeProps {
  readonly location: FileLocation;
  readonly change: PathChange;
}

/** Returns the path or, of the root, the name of the revision. */
const nameOf = ({ path, revision }: FileLocation) => path || presentRevision(revision).name;

/** Says what a changeset did to a file, if it did not only change it, and how the file was called. */
function Mark({ location, change: { change, path, former_path: former } }: ChangeProps) {
  const isOther = path !== location.path;
  return (
    <>
      {former === null && change !== null && change !== 'changed' && <span class="badge">{change}</span>}
      {former !== null && (
        <span>
          {change} from <bdi class="mono">{shownText(former)}</bdi>
        </span>
      )}
      {former === null && isOther && (
        <span>
          as <bdi class="mono">{shownText(path)}</bdi>
        </span>
      )}
    </>
  );
}

function Row({ location, change }: ChangeProps) {
  const { raw_id: id, short_id: short, message, author, date, path } = change;
  const changeset = pathTo(location.repository, 'changeset', id);
  const about = shownText(cutText(messageParts(message).about, aboutCharsMax));
  const isThere = change.change !== 'removed' && isAddressablePath(path);
  return (
    <li>
      <a class="subject" href={change.change === null ? changeset : `${changeset}#${changeAnchor(path)}`}>
        {about || <em>no message</em>}
      </a>
      <div class="meta">
        <span>{shownText(cutText(parseAuthor(author).name, authorCharsMax))}</span>
        <When date={date} />
        <a class="mono" href={changeset}>
          {short}
        </a>
        {isThere && (
          <a href={fileAddress('files', { ...location, revision: id, path })}>
            {change.change === null ? 'Files' : 'View file'}
            <span class="visually-hidden"> at {short}</span>
          </a>
        )}
        <Mark location={location} change={change} />
      </div>
    </li>
  );
}

function Links({ location, kind }: { location: FileLocation; kind: History['kind'] }) {
  if (kind === null) return null;
  return (
    <p class="meta">
      <a href={fileAddress('files', location)}>{kind === 'dir' ? 'Files' : 'View file'}</a>
      {kind === 'file' && <a href={fileAddress('annotate', location)}>Annotate</a>}
      {kind === 'file' && <a href={fileAddress('raw', location)}>Raw</a>}
    </p>
  );
}

interface Props {
  readonly location: FileLocation;
  readonly history: History;
  readonly cursor: string | null;
}

function PathHistory({ location, history: { kind, changes, next, complete }, cursor }: Props) {
  return (
    <>
      <h2>
        History of <bdi>{shownText(nameOf(location))}</bdi>
      </h2>
      <Links location={location} kind={kind} />
      {kind === null && (
        <p class="warning" role="note">
          This path does not exist at this revision any more. Below is its history until it was removed.
        </p>
      )}
      <ol class="path-history">
        {changes.map((change) => (
          <Row location={location} change={change} />
        ))}
      </ol>
      {complete && changes.length === 0 && <p>There are no more changes.</p>}
      {!complete && <p class="warning">The search took too long and was ended. There may be older changes.</p>}
      <Pager cursor={cursor} next={next} path={fileAddress('changelog', location)} />
    </>
  );
}

/** Shows the history of a file or directory, at `changelog/<revision>/<path>`; without a path, that of the revision. */
export async function showPathHistory(visit: Visit, address: PageAddress): Promise<Response> {
  // Called first: `view_repository` refuses a hidden repository with the error of a path that names none.
  const repository = await readHead(visit, address);
  const cursor = visit.query.get('cursor');
  const { repoid } = address;
  const page = { limit: perPage, ...(cursor === null ? {} : { cursor }) };
  const read = ({ revision, path }: { revision: string; path: string }) =>
    callOfThisRelease(visit, repository, 'get_file_history', { repoid, revision, file_path: path, ...page });
  const { location, found, note } = await readAtAddress(visit, address, repository, { name: 'changelog', read });
  return showRepositoryPage(visit, address, {
    title: `History of ${shownText(nameOf(location))}`,
    tab: 'files',
    repository,
    children: (
      <>
        {note}
        <PathHistory location={location} history={found} cursor={cursor} />
      </>
    ),
  });
}
