import type { ResultOfMethod, Served } from '@trunkline/contracts';
import { pathTo } from '../../http/path-segments.ts';
import type { Renderer } from '../../render/thread/create-renderer.ts';
import { isImage } from '../content/content-type.ts';
import { isMarkdown } from '../summary/find-readme.ts';
import type { FileLocation } from './file-address.ts';

export type ShownFile = NonNullable<ResultOfMethod<Served['view_path']>['file']>;

/** How a file is shown. All HTML is safe. */
export type FileView =
  | { readonly kind: 'empty' | 'binary' | 'too large' | 'image' }
  | { readonly kind: 'markdown'; readonly html: string }
  | { readonly kind: 'source'; readonly lines: readonly string[] };

/** Whether there is another view of it than its source. */
export function hasPicture({ path }: FileLocation, { symlink, text }: ShownFile): boolean {
  return !symlink && (isImage(path) || (isMarkdown(path) && text !== null && text !== ''));
}

/** Prepares the view of a file; `isPlain` asks for the source of a file that is rendered otherwise. */
export async function viewFile(
  renderer: Renderer,
  location: FileLocation,
  file: ShownFile,
  isPlain: boolean,
): Promise<FileView> {
  const { path, repository, revision } = location;
  const { text } = file;
  if (file.size === 0) return { kind: 'empty' };
  const isPicture = hasPicture(location, file) && !(isPlain && text !== null);
  if (isPicture && isImage(path)) return { kind: 'image' };
  if (text === null) return { kind: file.binary ? 'binary' : 'too large' };
  if (!isPicture) return { kind: 'source', lines: await renderer.highlight({ text, fileName: path }) };
  const base = (page: string) => `${pathTo(repository, page)}/${encodeURIComponent(revision)}/`;
  const directory = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  const html = await renderer.markdown({ text, directory, linkBase: base('files'), rawBase: base('raw') });
  return { kind: 'markdown', html };
}
