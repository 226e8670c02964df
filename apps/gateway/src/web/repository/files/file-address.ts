import { pathTo } from '../../http/path-segments.ts';

/** A file or directory of a repository, as an address names it. */
export interface FileLocation {
  /** The repository's name, or `_` and its id. */
  readonly repository: string;
  readonly revision: string;
  /** From the root, which is ''. */
  readonly path: string;
}

/** Where a page shows a file; a slash in the name of a revision is none of the path. */
export function fileAddress(page: 'files' | 'raw' | 'rawfile', { repository, revision, path }: FileLocation): string {
  const start = `${pathTo(repository, page)}/${encodeURIComponent(revision)}`;
  return path === '' ? start : start + pathTo(path);
}

/** The place of something in a directory. */
export function within(directory: FileLocation, name: string): FileLocation {
  return { ...directory, path: directory.path === '' ? name : `${directory.path}/${name}` };
}

/** Whether an address can name it: names that are no UTF-8 cannot be sent back, and control characters are not taken. */
export function isAddressable(name: string): boolean {
  // oxlint-disable-next-line no-control-regex -- These are what it is for.
  return !/[\u0000-\u001f\u007f\ufffd]/.test(name);
}

/** Whether an address can name this entry of a directory: browsers resolve dots themselves. */
export function isAddressableEntry(name: string): boolean {
  return isAddressable(name) && !/^\.{0,2}$|\//.test(name);
}
