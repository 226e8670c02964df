import type { ResultOfMethod, Served } from '@trunkline/contracts';
import { encodeName } from '@trunkline/runtime/text';
import { pathTo } from '../../http/path-segments.ts';
import type { RenderedSource, Renderer } from '../../render/create-renderers.ts';
import { isImage } from '../content/content-type.ts';
import { isMarkdown } from '../summary/readme.tsx';
import type { FileLocation } from './file-address.ts';

export type ShownFile = NonNullable<ResultOfMethod<Served['view_path']>['file']>;

/** What a page shows of a file. All HTML in it is safe. */
export type FileRendering =
  | { readonly kind: 'empty' | 'binary' | 'too large' | 'image' }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: DocumentKind; readonly html: string }
  | {
      readonly kind: 'source';
      readonly source: RenderedSource;
      /** Whether the file can be shown otherwise, too. */
      readonly isChoice: boolean;
    };

type DocumentKind = 'markdown' | 'notebook' | 'table';

/** Returns what a file of text can be rendered as by its name; null for nothing but its source. */
function documentKind(path: string): DocumentKind | null {
  if (isMarkdown(path)) return 'markdown';
  if (/\.ipynb$/i.test(path)) return 'notebook';
  return /\.[ct]sv$/i.test(path) ? 'table' : null;
}

/** Returns whether a file can be shown as something other than its source: an image, or a rendered document. */
export function hasRendering({ path }: FileLocation, { symlink, text }: ShownFile): boolean {
  return !symlink && (isImage(path) || (documentKind(path) !== null && text !== null && text !== ''));
}

/** Renders a document as safe HTML; null where its text is no such document, or too large for one. */
async function renderDocument(
  renderer: Renderer,
  kind: DocumentKind,
  { path, repository, revision }: FileLocation,
  text: string,
): Promise<string | null> {
  if (kind === 'table') return renderer.table(text);
  const base = (page: string) => `${pathTo(repository, page)}/${encodeName(revision)}/`;
  const directory = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  return renderer[kind]({ text, directory, linkBase: base('files'), rawBase: base('raw') });
}

/** Renders a file; `isPlain` selects the source of a file that can be shown otherwise. */
export async function renderFile(
  renderer: Renderer,
  location: FileLocation,
  file: ShownFile,
  isPlain: boolean,
): Promise<FileRendering> {
  const { path } = location;
  const { text } = file;
  if (file.size === 0) return { kind: 'empty' };
  const isRendered = hasRendering(location, file) && !(isPlain && text !== null);
  if (isRendered && isImage(path)) return { kind: 'image' };
  if (text === null) return { kind: file.binary ? 'binary' : 'too large' };
  if (file.symlink) return { kind: 'link', target: text };
  const kind = isRendered ? documentKind(path) : null;
  const html = kind && (await renderDocument(renderer, kind, location, text));
  if (kind && html !== null) return { kind, html };
  const isChoice = isPlain && hasRendering(location, file);
  return { kind: 'source', source: await renderer.source({ text, fileName: path }), isChoice };
}
