import { VcsError } from './vcs-error.ts';

// eslint-disable-next-line no-control-regex -- control characters are exactly what is refused
const control = /[\u0000-\u001f\u007f]/;

/**
 * Returns a user's path of a directory or file relative to the repository's root, without slashes at either end; '' is
 * the root. Throws VcsError `unknown-path` for control characters and for empty, `.` and `..` segments.
 */
export function normalizeRoot(root: string): string {
  const path = root.replace(/^\/+/, '').replace(/\/$/, '');
  if (path === '') return '';
  const segments = path.split('/');
  if (control.test(path) || segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw new VcsError('unknown-path', 'no path of a repository');
  }
  return path;
}
