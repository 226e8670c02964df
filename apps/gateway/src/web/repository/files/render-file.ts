import type { ResultOfMethod, Served } from '@trunkline/contracts';
import type { RenderedSource } from '../../render/create-renderers.ts';
import { isImage } from '../content/content-type.ts';
import { documentFormatOf } from '../../render/document-format.ts';
import type { Visit } from '../../visit.ts';
import type { FileLocation } from './file-address.ts';
import { basesOf, renderDocument } from './render-document.ts';

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

type DocumentKind = 'document' | 'notebook' | 'table';

/** Returns what a file of text can be rendered as by its name; null for nothing but its source. */
function documentKind(path: string): DocumentKind | null {
  if (documentFormatOf(path) !== null) return 'document';
  if (/\.ipynb$/i.test(path)) return 'notebook';
  return /\.[ct]sv$/i.test(path) ? 'table' : null;
}

/** Returns whether a file can be shown as something other than its source: an image, or a rendered document. */
export function hasRendering({ path }: FileLocation, { symlink, text }: ShownFile): boolean {
  return !symlink && (isImage(path) || (documentKind(path) !== null && text !== null && text !== ''));
}

interface Document {
  readonly repoid: number;
  readonly location: FileLocation;
  readonly text: string;
}

/** Renders a file by its kind as safe HTML; null where its text is none of that kind, or too large for one. */
async function renderKind(visit: RenderingVisit, kind: DocumentKind, document: Document): Promise<string | null> {
  const { location, text } = document;
  if (kind === 'document') return renderDocument(visit, document);
  return kind === 'table' ? visit.renderer.table(text) : visit.renderer.notebook({ ...basesOf(location), text });
}

type RenderingVisit = Pick<Visit, 'worker' | 'renderer'>;

/** Renders a file; `isPlain` selects the source of a file that can be shown otherwise. */
export async function renderFile(
  visit: RenderingVisit,
  repoid: number,
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
  const html = kind && (await renderKind(visit, kind, { repoid, location, text }));
  if (kind && html !== null) return { kind, html };
  const isChoice = isPlain && hasRendering(location, file);
  return { kind: 'source', source: await visit.renderer.source({ text, fileName: path }), isChoice };
}
