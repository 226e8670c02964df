import { sizeText, type ResultOfMethod, type Served } from '@trunkline/contracts';
import { encodeName } from '@trunkline/runtime/text';
import { pathTo } from '../../http/path-segments.ts';
import type { RenderedSource, Renderer } from '../../render/create-renderers.ts';
import { isImage } from '../content/content-type.ts';
import { isMarkdown } from '../summary/readme.tsx';
import { fileAddress, type FileLocation } from './file-address.ts';
import { shownLinesMax } from '../../render/plain-text.ts';
import { colouredBytesMax } from '../../render/render-task.ts';
import { cutText, shownText } from '../../render/shown-text.ts';

type ShownFile = NonNullable<ResultOfMethod<Served['view_path']>['file']>;

/** What a page shows of a file. All HTML in it is safe. */
type FileRendering =
  | { readonly kind: 'empty' | 'binary' | 'too large' | 'image' }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'markdown'; readonly html: string }
  | { readonly kind: 'source'; readonly source: RenderedSource };

/** Returns whether a file can be shown as something other than its source: an image, or rendered Markdown. */
function hasRendering({ path }: FileLocation, { symlink, text }: ShownFile): boolean {
  return !symlink && (isImage(path) || (isMarkdown(path) && text !== null && text !== ''));
}

/** Renders a file; `isPlain` selects the source of a file that can be shown otherwise. */
export async function renderFile(
  renderer: Renderer,
  location: FileLocation,
  file: ShownFile,
  isPlain: boolean,
): Promise<FileRendering> {
  const { path, repository, revision } = location;
  const { text } = file;
  if (file.size === 0) return { kind: 'empty' };
  const isRendered = hasRendering(location, file) && !(isPlain && text !== null);
  if (isRendered && isImage(path)) return { kind: 'image' };
  if (text === null) return { kind: file.binary ? 'binary' : 'too large' };
  if (file.symlink) return { kind: 'link', target: text };
  if (!isRendered) return { kind: 'source', source: await renderer.source({ text, fileName: path }) };
  const base = (page: string) => `${pathTo(repository, page)}/${encodeName(revision)}/`;
  const directory = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  const html = await renderer.markdown({ text, directory, linkBase: base('files'), rawBase: base('raw') });
  return { kind: 'markdown', html };
}

/** Shows the numbered lines of a file. */
function SourceLines({ html, lineCount }: RenderedSource) {
  return (
    <>
      <pre class="code source" dangerouslySetInnerHTML={{ __html: html }} />
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
  readonly file: ShownFile;
  readonly rendering: FileRendering;
}

/** Longer than any path that systems follow. */
const targetCharsMax = 4_096;

function Body({ location, file, rendering }: Pick<Props, 'location' | 'file' | 'rendering'>) {
  switch (rendering.kind) {
    case 'empty':
      return <p class="body soft">This file is empty.</p>;
    case 'binary':
      return <p class="body soft">This file is binary and cannot be shown as text.</p>;
    case 'too large':
      return <p class="body soft">This file is too large to be shown here.</p>;
    case 'link':
      return (
        <p class="body">
          Symbolic link to <code>{shownText(cutText(rendering.target, targetCharsMax))}</code>
        </p>
      );
    case 'image':
      return (
        <p class="body picture">
          <img src={fileAddress('raw', location)} alt={shownText(location.path)} />
        </p>
      );
    case 'markdown':
      return <div class="body markdown" dangerouslySetInnerHTML={{ __html: rendering.html }} />;
    case 'source':
      return (
        <>
          {file.size > colouredBytesMax && (
            <p class="body soft">
              This file is larger than {sizeText(colouredBytesMax)}, so it is shown without colours.
            </p>
          )}
          <SourceLines {...rendering.source} />
        </>
      );
  }
}

function FileProperties({
  file: { size, executable, symlink, encoding },
  rendering,
}: Pick<Props, 'file' | 'rendering'>) {
  const lineCount = rendering.kind === 'source' ? rendering.source.lineCount : 0;
  return (
    <p class="marks">
      <span>{sizeText(size)}</span>
      {rendering.kind === 'source' && <span>{lineCount === 1 ? '1 line' : `${lineCount} lines`}</span>}
      {encoding !== undefined && <span>decoded from {encoding}</span>}
      {executable && <span class="badge">executable</span>}
      {symlink && <span class="badge">symbolic link</span>}
    </p>
  );
}

/** Renders a file below its properties and links. */
export function FilePanel({ location, permanent, file, rendering }: Props) {
  const address = fileAddress('files', location);
  const isPlain = rendering.kind === 'source' && hasRendering(location, file);
  const hasSource = rendering.kind !== 'source' && hasRendering(location, file) && file.text !== null && file.size > 0;
  return (
    <section class="panel file" aria-label="File">
      <header>
        <FileProperties file={file} rendering={rendering} />
        <p class="links">
          {isPlain && <a href={address}>Rendered</a>}
          {hasSource && <a href={`${address}?plain=1`}>Source</a>}
          <a href={fileAddress('raw', location)}>Raw</a>
          <a href={fileAddress('rawfile', location)}>Download</a>
          <a href={fileAddress('files', permanent)}>Permanent link</a>
        </p>
      </header>
      <Body location={location} file={file} rendering={rendering} />
    </section>
  );
}
