import { nameBytes, nameText } from '@trunkline/runtime/text';
import { VcsError } from './vcs-error.ts';

/**
 * Returns a user's path of a directory or file relative to the repository's root, without slashes at either end; '' is
 * the root, and one name has one text. Throws VcsError `unknown-path` for NUL and for empty, `.` and `..` segments.
 */
export function normalizeRoot(root: string): string {
  const path = nameText(nameBytes(root.replace(/^\/+/, '').replace(/\/$/, '')));
  if (path === '') return '';
  const segments = path.split('/');
  if (path.includes('\0') || segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw new VcsError('unknown-path', 'no path of a repository');
  }
  return path;
}
