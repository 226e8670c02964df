import { nameForKeys } from '../../../authn/basic-login.ts';
import { pathTo } from '../../http/path-segments.ts';
import type { Visit } from '../../visit.ts';
import type { RepositoryHead } from '../repository-head.ts';

/** The repository as a client of its version control system is to reach it. */
export interface ClientAddress {
  readonly type: 'git' | 'hg';
  readonly name: string;
  readonly baseUrl: string;
  /** The user whose name the URL has; null for none. */
  readonly username: string | null;
}

/** Returns a word of a shell's command line: in quotes, unless each of its characters stands for itself. */
function shellWord(text: string): string {
  return /^[\p{L}\p{M}\p{N}@%_+:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Returns the name to log in with: Mercurial crashes by one that is not ASCII, so that its users need a key. */
function loginName(type: ClientAddress['type'], username: string): string {
  return type === 'hg' && /[^\x20-\x7e]/.test(username) ? nameForKeys : username;
}

function urlOf({ type, name, baseUrl, username }: ClientAddress): string {
  const login = username === null ? '' : `${encodeURIComponent(loginName(type, username))}@`;
  return shellWord(`${baseUrl.replace('://', `://${login}`)}${pathTo(name)}`);
}

/** Returns the command that clones a repository into a directory with its name. */
export function cloneCommand(address: ClientAddress): string {
  const directory = address.name.split('/').at(-1) ?? '';
  // Clients name the directory by the URL, in which only some letters stand for themselves.
  const isInUrl = encodeURIComponent(directory) === directory;
  return [address.type, 'clone', urlOf(address), ...(isInUrl ? [] : [shellWord(directory)])].join(' ');
}

interface FirstPush {
  /** Commands for a directory of files that are under no version control. */
  readonly ofFiles: readonly string[];
  /** Commands for a repository that exists already. */
  readonly ofRepository: readonly string[];
}

/** Returns the commands of a first push to an empty repository. */
export function firstPush(address: ClientAddress): FirstPush {
  const url = urlOf(address);
  if (address.type === 'hg') {
    const push = `hg push ${url}`;
    return { ofFiles: ['hg init', 'hg add', 'hg commit -m "First commit"', push], ofRepository: [push] };
  }
  const add = `git remote add origin ${url}`;
  const files = ['git init', 'git add .', 'git commit -m "First commit"', add, 'git push -u origin HEAD'];
  return { ofFiles: files, ofRepository: [add, 'git push -u origin --all'] };
}

/** The parts of a visit that decide on the address. */
export type AddressedVisit = Pick<Visit, 'baseUrl' | 'visitor'>;

/** Returns the address for a client of the visitor. */
export function clientAddressOf({ baseUrl, visitor }: AddressedVisit, repository: RepositoryHead): ClientAddress {
  const { repo_type: type, repo_name: name } = repository;
  return { type, name, baseUrl, username: visitor.session?.username ?? null };
}

/**
 * What clients of version control systems are served. The pages show the commands of what is served, and no others.
 */
export const servedRequests: Readonly<Record<'git' | 'hg', { readonly clone: boolean; readonly push: boolean }>> = {
  git: { clone: true, push: true },
  hg: { clone: true, push: true },
};
