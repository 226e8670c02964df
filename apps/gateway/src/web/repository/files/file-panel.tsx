import { sizeText, type ResultOfMethod, type Served } from '@trunkline/contracts';
import { mediaTypeOf } from '@trunkline/runtime';
import { ChangesetLine } from '../../layout/inline.tsx';
import type { RenderedSource } from '../../render/create-renderers.ts';
import { fileAddress, linkedPath, type FileLocation } from './file-address.ts';
import { markLines, queryOf, type LineRange } from './marked-lines.ts';
import { hasRendering, type FileRendering, type ShownFile } from './render-file.ts';
import { shownLinesMax } from '../../render/plain-text.ts';
import { colouredBytesMax } from '../../render/render-task.ts';
import { cutText, shownText } from '../../render/shown-text.ts';

/** Shows the numbered lines of a file. */
function SourceLines({ source: { html, lineCount }, range }: { source: RenderedSource; range: LineRange | null }) {
  return (
    <>
      <pre class="code source" dangerouslySetInnerHTML={{ __html: range ? markLines(html, range) : html }} />
      {lineCount > shownLinesMax && (
        <p class="body soft">
          Only the first {shownLinesMax} of {lineCount} lines are shown.
        </p>
      )}
    </>
  );
}

interface Props {
  readonly location: FileLocation;
  /** The location of the file at its permanent address. */
  readonly permanent: FileLocation;
  readonly changeset: ResultOfMethod<Served['view_path']>['changeset'];
  readonly file: ShownFile;
  readonly rendering: FileRendering;
  /** The lines of the source that are marked. */
  readonly range: LineRange | null;
}

/** Longer than any path that systems follow. */
const targetCharsMax = 4_096;

function LinkTarget({ location, file, target }: Pick<Props, 'location' | 'file'> & { target: string }) {
  const path = file.encoding === undefined ? linkedPath(location.path, target) : null;
  const shown = <code>{shownText(cutText(target, targetCharsMax))}</code>;
  return (
    <p class="body">
      Symbolic link to {path === null ? shown : <a href={fileAddress('files', { ...location, path })}>{shown}</a>}
      {path === null && ', outside of this repository'}
    </p>
  );
}

function Body({ location, file, rendering, range }: Pick<Props, 'location' | 'file' | 'rendering' | 'range'>) {
  switch (rendering.kind) {
    case 'empty':
      return <p class="body soft">This file is empty.</p>;
    case 'binary': {
      const type = mediaTypeOf(location.path);
      return (
        <p class="body soft">
          This file is binary{type && ` (${type})`} and cannot be shown as text. Download it to see it.
        </p>
      );
    }
    case 'too large':
      return <p class="body soft">This file is too large to be shown here.</p>;
    case 'link':
      return <LinkTarget location={location} file={file} target={rendering.target} />;
    case 'image':
      return (
        <p class="body picture">
          <img src={fileAddress('raw', location)} alt={shownText(location.path)} />
        </p>
      );
    case 'document':
      return <div class="body markdown" dangerouslySetInnerHTML={{ __html: rendering.html }} />;
    case 'notebook':
      return <div class="body notebook" dangerouslySetInnerHTML={{ __html: rendering.html }} />;
    case 'table':
      return <div dangerouslySetInnerHTML={{ __html: rendering.html }} />;
    case 'source':
      return (
        <>
          {file.size > colouredBytesMax && (
            <p class="body soft">
              This file is larger than {sizeText(colouredBytesMax)}, so it is shown without colours.
            </p>
          )}
          <SourceLines source={rendering.source} range={range} />
        </>
      );
  }
}

function FileProperties({
  file: { size, executable, symlink, encoding, image },
  rendering,
}: Pick<Props, 'file' | 'rendering'>) {
  const { lineCount = 0, language = '' } = rendering.kind === 'source' ? rendering.source : {};
  return (
    <p class="marks">
      <span>{sizeText(size)}</span>
      {image && (
        <span>
          {image.width} × {image.height}
        </span>
      )}
      {rendering.kind === 'source' && <span>{lineCount === 1 ? '1 line' : `${lineCount} lines`}</span>}
      {language !== '' && <span>{language}</span>}
      {encoding !== undefined && <span>decoded from {encoding}</span>}
      {executable && <span class="badge">executable</span>}
      {symlink && <span class="badge">symbolic link</span>}
    </p>
  );
}

/** Renders a file below its properties and links. */
export function FilePanel({ location, permanent, changeset, file, rendering, range }: Props) {
  const address = fileAddress('files', location);
  const isPlain = rendering.kind === 'source' && rendering.isChoice;
  const hasSource = rendering.kind !== 'source' && hasRendering(location, file) && file.text !== null && file.size > 0;
  const marked = rendering.kind === 'source' ? range : null;
  const query = marked ? queryOf(marked) : isPlain ? '?plain=1' : '';
  return (
    <section class="panel file" aria-label="File">
      <header>
        <FileProperties file={file} rendering={rendering} />
        <p class="at">
          <ChangesetLine repository={location.repository} changeset={changeset} />
        </p>
        <p class="links">
          {isPlain && <a href={address}>Rendered</a>}
          {hasSource && <a href={`${address}?plain=1`}>Source</a>}
          <a href={fileAddress('raw', location)}>Raw</a>
          <a href={fileAddress('rawfile', location)}>Download</a>
          {file.text !== null && !file.symlink && <a href={fileAddress('annotate', location)}>Annotate</a>}
          <a href={fileAddress('changelog', location)}>History</a>
          <a href={fileAddress('files', permanent) + query}>Permanent link</a>
        </p>
        {marked && marked.first === marked.last && (
          <p class="choose-end soft">
            Line {marked.first} is marked. Choose another number to mark the lines up to it.
          </p>
        )}
      </header>
      <Body location={location} file={file} rendering={rendering} range={marked} />
    </section>
  );
}
