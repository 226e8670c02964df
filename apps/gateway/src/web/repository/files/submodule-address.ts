import { pathTo } from '../../http/path-segments.ts';

/** Returns the path of a page beside a repository's own, as git and Mercurial resolve `../name`; null for no such path. */
function resolveBeside(address: string, repository: string): string | null {
  const segments = repository.split('/');
  for (const segment of address.split('/')) {
    if (segment === '..' && segments.length === 0) return null;
    if (segment === '..') segments.pop();
    else if (segment !== '.' && segment !== '') segments.push(segment);
  }
  const found = segments.join('/').replace(/\.git$/, '');
  // There is no repository below another one.
  const isBelow = found === '' || `${found}/`.startsWith(`${repository}/`);
  return isBelow ? null : pathTo(found);
}

/**
 * Returns where a submodule's address leads, which anybody who pushes may have written: a URL over HTTP without a login, or
 * the path of a page for an address that is relative to the repository's. Null for any other address.
 */
export function submoduleLink(address: string, repository: string): string | null {
  // In Mercurial, the kind of the subrepository may come first.
  const plain = address.replace(/^\[[a-z]+\] */, '');
  // Browsers would leave out, or replace, some of these characters.
  if (/[\s\\\p{Cc}]/u.test(plain)) return null;
  if (/^\.\.?\//.test(plain)) return resolveBeside(plain, repository);
  if (!/^https?:\/\/[^/]/i.test(plain) || !URL.canParse(plain)) return null;
  const url = new URL(plain);
  url.username = '';
  url.password = '';
  return url.href;
}

/** Returns an address for display, without a password. */
export function submoduleText(address: string): string {
  return address.replace(/(:\/\/)[^/]*@/, '$1');
}
