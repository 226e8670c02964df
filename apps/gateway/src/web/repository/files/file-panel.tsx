import { fileSize } from '../../render/text/file-size.ts';
import { colouredBytesMax } from '../../render/thread/render-caps.ts';
import { shownText } from '../../render/text/shown-text.ts';
import { fileAddress, type FileLocation } from './file-address.ts';
import { hasRenderedView, type FileView, type ShownFile } from './file-view.ts';
import { SourceLines } from './source-lines.tsx';

interface Props {
  readonly location: FileLocation;
  /** The location of the file at its permanent address. */
  readonly permanent: FileLocation;
  readonly file: ShownFile;
  readonly view: FileView;
}

function Body({ location, file, view }: Pick<Props, 'location' | 'file' | 'view'>) {
  switch (view.kind) {
    case 'empty':
      return <p class="body soft">This file is empty.</p>;
    case 'binary':
      return <p class="body soft">This file is binary and cannot be shown as text.</p>;
    case 'too large':
      return <p class="body soft">This file is too large to be shown here.</p>;
    case 'image':
      return (
        <p class="body picture">
          <img src={fileAddress('raw', location)} alt={shownText(location.path)} />
        </p>
      );
    case 'markdown':
      return <div class="body markdown" dangerouslySetInnerHTML={{ __html: view.html }} />;
    case 'source':
      return (
        <>
          {file.size > colouredBytesMax && (
            <p class="body soft">
              This file is larger than {fileSize(colouredBytesMax)}, so it is shown without colours.
            </p>
          )}
          <SourceLines {...view.source} />
        </>
      );
  }
}

function FileProperties({ file: { size, executable, symlink }, view }: Pick<Props, 'file' | 'view'>) {
  const lineCount = view.kind === 'source' ? view.source.lineCount : 0;
  return (
    <p class="marks">
      <span>{fileSize(size)}</span>
      {view.kind === 'source' && <span>{lineCount === 1 ? '1 line' : `${lineCount} lines`}</span>}
      {executable && <span class="badge">executable</span>}
      {symlink && <span class="badge">symbolic link</span>}
    </p>
  );
}

/** Renders a file below its properties and links. */
export function FilePanel({ location, permanent, file, view }: Props) {
  const address = fileAddress('files', location);
  const isPlain = view.kind === 'source' && hasRenderedView(location, file);
  const hasSource = view.kind !== 'source' && hasRenderedView(location, file) && file.text !== null && file.size > 0;
  return (
    <section class="panel file" aria-label="File">
      <header>
        <FileProperties file={file} view={view} />
        <p class="links">
          {isPlain && <a href={address}>Rendered</a>}
          {hasSource && <a href={`${address}?plain=1`}>Source</a>}
          <a href={fileAddress('raw', location)}>Raw</a>
          <a href={fileAddress('rawfile', location)}>Download</a>
          <a href={fileAddress('files', permanent)}>Permanent link</a>
        </p>
      </header>
      <Body location={location} file={file} view={view} />
    </section>
  );
}
