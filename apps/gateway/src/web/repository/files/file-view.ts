import type { ResultOfMethod, Served } from '@trunkline/contracts';
import { pathTo } from '../../http/path-segments.ts';
import type { RenderedSource, Renderer } from '../../render/thread/create-renderers.ts';
import { isImage } from '../content/content-type.ts';
import { isMarkdown } from '../summary/find-readme.ts';
import type { FileLocation } from './file-address.ts';

export type ShownFile = NonNullable<ResultOfMethod<Served['view_path']>['file']>;

/** The view of a file on a page. All HTML in it is safe. */
export type FileView =
  | { readonly kind: 'empty' | 'binary' | 'too large' | 'image' }
  | { readonly kind: 'markdown'; readonly html: string }
  | { readonly kind: 'source'; readonly source: RenderedSource };

/** Returns whether a file can be shown as something other than its source: an image, or rendered Markdown. */
export function hasRenderedView({ path }: FileLocation, { symlink, text }: ShownFile): boolean {
  return !symlink && (isImage(path) || (isMarkdown(path) && text !== null && text !== ''));
}

/** Prepares the view of a file; `isPlain` selects the source of a file that has another view. */
export async function viewFile(
  renderer: Renderer,
  location: FileLocation,
  file: ShownFile,
  isPlain: boolean,
): Promise<FileView> {
  const { path, repository, revision } = location;
  const { text } = file;
  if (file.size === 0) return { kind: 'empty' };
  const isRendered = hasRenderedView(location, file) && !(isPlain && text !== null);
  if (isRendered && isImage(path)) return { kind: 'image' };
  if (text === null) return { kind: file.binary ? 'binary' : 'too large' };
  if (!isRendered) return { kind: 'source', source: await renderer.source({ text, fileName: path }) };
  const base = (page: string) => `${pathTo(repository, page)}/${encodeURIComponent(revision)}/`;
  const directory = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  const html = await renderer.markdown({ text, directory, linkBase: base('files'), rawBase: base('raw') });
  return { kind: 'markdown', html };
}
