import { hash } from 'node:crypto';
import { encodeName } from '@trunkline/runtime/text';
import { pathTo } from '../../http/path-segments.ts';

/** The location of a file or directory in a page's address. */
export interface FileLocation {
  /** The repository's name, or `_` and its id. */
  readonly repository: string;
  readonly revision: string;
  /** The path from the root of the repository; the root itself is ''. */
  readonly path: string;
}

/** The pages about a file: `annotate` says who wrote its lines, `changelog` has its history. */
type FilePage = 'annotate' | 'changelog' | 'files' | 'raw' | 'rawfile';

/** Returns the address of a file's page; a slash in the name of a revision is escaped. */
export function fileAddress(page: FilePage, { repository, revision, path }: FileLocation): string {
  const start = `${pathTo(repository, page)}/${encodeName(revision)}`;
  return path === '' ? start : start + pathTo(path);
}

/** Returns the id of the change of a file on the page of a changeset. */
export function changeAnchor(path: string): string {
  return `change-${hash('sha256', path, 'hex').slice(0, 12)}`;
}

/** Returns the location of an entry of a directory. */
export function within(directory: FileLocation, name: string): FileLocation {
  return { ...directory, path: directory.path === '' ? name : `${directory.path}/${name}` };
}

/** Returns the path in the repository to which a symbolic link leads; null for one that leads out of it. */
export function linkedPath(link: string, target: string): string | null {
  // A target is bytes; one that is not UTF-8 is not known by its text.
  if (target === '' || target.startsWith('/') || /[\0\ufffd]/.test(target)) return null;
  const segments = link.split('/').slice(0, -1);
  for (const segment of target.split('/')) {
    if (segment === '..' && segments.pop() === undefined) return null;
    if (!['', '.', '..'].includes(segment)) segments.push(segment);
  }
  return segments.join('/');
}

/** Returns whether the name of a revision can be in an address: one with control characters is refused. */
export function isAddressable(name: string): boolean {
  // oxlint-disable-next-line no-control-regex -- The pattern is meant to find control characters.
  return !/[\u0000-\u001f\u007f]/.test(name);
}

/** Returns whether an address can contain an entry's name: browsers resolve `.` and `..` themselves. */
export function isAddressableEntry(name: string): boolean {
  return !/^\.{0,2}$|[/\0]/.test(name);
}

/** Returns whether an address can contain a path, each of whose segments is an entry's name. */
export function isAddressablePath(path: string): boolean {
  return path === '' || path.split('/').every(isAddressableEntry);
}
