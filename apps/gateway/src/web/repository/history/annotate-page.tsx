import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { OperationFailedError, type ResultOfMethod, type Served } from '@trunkline/contracts';
import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import { ChangesetLine } from '../../layout/inline.tsx';
import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import { shownLinesMax } from '../../render/plain-text.ts';
import { shownText } from '../../render/shown-text.ts';
import type { Visit } from '../../visit.ts';
import { fileAddress, type FileLocation } from '../files/file-address.ts';
import { readHead, type RepositoryHead } from '../repository-head.ts';
import type { PageAddress, RepositoryPage } from '../repository-page.ts';
import { annotationAddress, AnnotatedBlock } from './annotated-block.tsx';
import { linesPerPage, pageBlocks, pageStart, renderedLines } from './annotated-lines.ts';
import { callOfThisRelease, readAtAddress } from './read-at-address.tsx';

type Shown = ResultOfMethod<Served['view_path']>;
type Annotated = ResultOfMethod<Served['annotate_file']>;

interface Found {
  readonly shown: Shown;
  /** What has written the lines, or why that is not shown. */
  readonly annotated: Annotated | string;
}

/** Returns why the lines of a path cannot be shown with what has written them; null where they can. */
function reasonAgainst({ file }: Shown): string | null {
  if (!file) return 'This is a directory, which has no lines of its own.';
  if (file.symlink) return 'This is a symbolic link, which has no lines.';
  if (file.binary) return 'This file is binary, and has no lines.';
  if (file.size === 0) return 'This file is empty.';
  return file.text === null ? 'This file is too large to be shown here.' : null;
}

interface Asked {
  readonly revision: string;
  readonly path: string;
}

async function read(visit: Visit, repository: RepositoryHead, { revision, path }: Asked, start: number) {
  const { repo_id: repoid } = repository;
  const shown = await visit.worker.call('view_path', { repoid, revision, path });
  const reason = reasonAgainst(shown);
  if (reason !== null) return { shown, annotated: reason };
  const asked = { repoid, revision: shown.changeset.raw_id, file_path: path, start_line: start, limit: linesPerPage };
  const annotated = await callOfThisRelease(visit, repository, 'annotate_file', asked).catch((error: unknown) => {
    if (error instanceof OperationFailedError) return `${error.message}.`;
    throw error;
  });
  return { shown, annotated };
}

function Links({ location, shown: { file } }: { location: FileLocation; shown: Shown }) {
  return (
    <p class="links">
      <a href={fileAddress('files', location)}>{file ? 'View file' : 'Files'}</a>
      {location.path !== '' && <a href={fileAddress('changelog', location)}>History</a>}
      {file && <a href={fileAddress('raw', location)}>Raw</a>}
    </p>
  );
}

/** Blocks that take a few milliseconds. */
const sliceBlocks = 100;

/** Renders blocks some at a time, and yields to other requests in between. */
async function renderBlocks(
  location: FileLocation,
  annotated: Annotated,
  lines: readonly string[],
): Promise<readonly Child[]> {
  const rendered: Child[] = [];
  for (const [index, block] of pageBlocks(annotated).entries()) {
    if (index % sliceBlocks === 0) await nextTurnOfLoop();
    const html = lines.slice(block.line - 1, block.line - 1 + block.lines).join('');
    const element: unknown = <AnnotatedBlock location={location} block={block} html={html} />;
    rendered.push(raw(String(element)));
  }
  return rendered;
}

function OtherLines({ location, annotated, start }: { location: FileLocation; annotated: Annotated; start: number }) {
  const { next_line: next, line_count: count } = annotated;
  const isMore = next !== null && next <= shownLinesMax;
  if (start === 1 && next === null) return null;
  return (
    <nav class="pager" aria-label="Lines">
      {start > 1 && <a href={annotationAddress(location, start - linesPerPage)}>Lines before</a>}
      {isMore && <a href={annotationAddress(location, next)}>Lines after</a>}
      {next !== null && !isMore && (
        <span class="soft">
          Only the first {shownLinesMax} of {count} lines are shown.
        </span>
      )}
    </nav>
  );
}

async function bodyOf(visit: Visit, location: FileLocation, { shown, annotated }: Found, start: number) {
  const text = shown.file?.text ?? '';
  if (typeof annotated === 'string') return <p class="body soft">{annotated}</p>;
  const { html, lineCount } = await visit.renderer.source({ text, fileName: location.path });
  if (lineCount !== annotated.line_count) {
    return <p class="body soft">The lines of this file cannot be told apart in its encoding.</p>;
  }
  return (
    <>
      <div class="annotation code">{await renderBlocks(location, annotated, renderedLines(html))}</div>
      <OtherLines location={location} annotated={annotated} start={start} />
    </>
  );
}

/** The page that shows, beside the lines of a file, which changesets have written them. */
export const annotatePage: RepositoryPage = {
  pageName: 'FilesController:annotate',
  async get(visit: Visit, address: PageAddress) {
    // Called first: `view_repository` refuses a hidden repository with the error of a path that names none.
    const repository = await readHead(visit, address);
    const asked = Number(visit.query.get('from') ?? '1');
    const start = Number.isInteger(asked) && asked >= 1 && asked <= shownLinesMax ? pageStart(asked) : 1;
    const page = {
      name: 'annotate',
      read: (at: Asked) => read(visit, repository, at, start),
    } as const;
    const { location, found, note } = await readAtAddress(visit, address, repository, page);
    const { shown } = found;
    return showRepositoryPage(visit, address, {
      title: `Annotate ${shownText(location.path)}`,
      tab: 'files',
      repository,
      children: (
        <>
          <h2>
            Annotate <bdi>{shownText(location.path)}</bdi>
          </h2>
          {note}
          <section class="panel file" aria-label="Annotated file">
            <header>
              <ChangesetLine repository={repository.repo_name} changeset={shown.changeset} />
              <Links location={location} shown={shown} />
            </header>
            {await bodyOf(visit, location, found, start)}
          </section>
        </>
      ),
    });
  },
};
