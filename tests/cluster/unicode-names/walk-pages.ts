import { expect } from 'vitest';
import { adminRoutes } from '../../../apps/gateway/src/web/admin-routes.ts';
import { repositoryPages } from '../../../apps/gateway/src/web/repository/repository-route.ts';
import { createWebClient, type WebAnswer, type WebClient } from '../../harness/web-client.ts';
import type { RepositoryType } from './local-history.ts';
import type { NamesOfClass } from './names-of-class.ts';
import { password } from './people.ts';
import { restsOfPages } from './rests-of-pages.ts';
import type { VcsWalk } from './walk-vcs.ts';

/** A visitor on the way through the pages. */
interface Visitor {
  readonly web: WebClient;
  readonly names: NamesOfClass;
  readonly baseUrl: string;
  /** The addresses on the service to which pages have linked. */
  readonly links: Set<string>;
  readonly opened: Set<string>;
}

const isText = ({ headers }: WebAnswer) => /^text\/|xml/.test(headers.get('content-type') ?? '');

/** Returns the text of a patch as readers of mail show it: its header encodes letters beyond ASCII (RFC 2047). */
function shownMail(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?UTF-8\?q\?/g, '')
    .replaceAll(/=\?UTF-8\?q\?(.*?)\?=/g, (_, word: string) => decodeURIComponent(word.replaceAll('=', '%')));
}

/** Returns the addresses on the service to which a page links. */
function linksOf(text: string, baseUrl: string): string[] {
  const found = [...text.matchAll(/ (?:href|src)="([^"]*)"|<(?:link|id|guid)[^>]*>([^<]+)</g)];
  const urls = found.map(([, link = '', feedLink = '']) => (link || feedLink).replaceAll('&amp;', '&'));
  return urls.filter((url) => url.startsWith('/') || url.startsWith(baseUrl));
}

/** Opens an address, checks what the answer shows of names, and keeps its links. */
async function open({ web, names, baseUrl, links, opened }: Visitor, path: string): Promise<void> {
  if (opened.has(path)) return;
  opened.add(path);
  const answer = await web.get(path);
  expect([200, 302, 303], `${path}: ${answer.status} ${answer.text.slice(0, 300)}`).toContain(answer.status);
  const location = answer.headers.get('location') ?? '';
  const [, fileName = ''] = /filename\*=UTF-8''(.*)$/.exec(answer.headers.get('content-disposition') ?? '') ?? [];
  const text = isText(answer) ? shownMail(answer.text) : '';
  expect(names.brokenIn(`${location} ${fileName} ${text}`), path).toEqual([]);
  for (const link of [location, ...linksOf(text, baseUrl)].filter((one) => one !== '')) links.add(link);
}

async function openLinks(visitor: Visitor): Promise<void> {
  for (const link of Array.from(visitor.links)) await open(visitor, link);
}

async function signIn({ cluster, names }: VcsWalk, username: string, word: string): Promise<Visitor> {
  const web = createWebClient(cluster.baseUrl);
  expect((await web.signIn(username, word)).status).toBe(302);
  return { web, names, baseUrl: cluster.baseUrl, links: new Set(), opened: new Set() };
}

/** Opens every page of the repositories as their owner, and what they link to. */
async function walkRepositories(walk: VcsWalk, repositories: Readonly<Record<RepositoryType, string>>): Promise<void> {
  const { names, owner } = walk;
  const visitor = await signIn(walk, owner.username, password);
  expect(Object.keys(restsOfPages).toSorted()).toEqual(Object.keys(repositoryPages).toSorted());
  for (const [type, name] of Object.entries(repositories)) {
    const revisions = [names.of('branch'), names.of('tag'), ...(type === 'hg' ? [names.of('bookmark')] : [])];
    const walked = {
      revisions: revisions.map(encodeURIComponent),
      file: encodeURI(`${names.of('directory')}/${names.of('file')}`),
      filter: encodeURIComponent(names.of('branch')),
    };
    for (const [page, restsOf] of Object.entries(restsOfPages)) {
      for (const rest of restsOf(walked)) await open(visitor, `/${encodeURI(name)}${page && '/'}${page}${rest}`);
    }
  }
  const group = encodeURI(names.of('group'));
  for (const path of [`/${group}`, `/${group}?filter=${encodeURIComponent(names.of('git'))}`, `/?filter=${group}`]) {
    await open(visitor, path);
  }
  await openLinks(visitor);
}

/** Returns what stands for `*` in the path of each kind of page of the administration. */
async function idsOf({ admin, names, owner }: VcsWalk): Promise<Readonly<Record<string, number | string>>> {
  const team = await admin.result<{ users_group_id: number }>('get_user_group', { usergroupid: names.of('team') });
  const group = await admin.result<{ group_id: number }>('get_repo_group', { repogroupid: names.of('group') });
  const [operation] = await admin.result<{ operation_id: string }[]>('list_operations', { limit: 1 });
  return {
    users: owner.id,
    user_groups: team.users_group_id,
    repo_groups: group.group_id,
    operations: operation?.operation_id ?? '',
  };
}

/** Opens every page below /_admin as the administrator, and what they link to. */
async function walkAdministration(walk: VcsWalk): Promise<void> {
  const visitor = await signIn(walk, 'admin', 'secret of the first administrator');
  const ids = await idsOf(walk);
  for (const [route, { get }] of Object.entries(adminRoutes)) {
    const [kind = ''] = route.split('/');
    const path = route.replace('*', String(ids[kind] ?? ''));
    if (get) await open(visitor, `/_admin${path && '/'}${path}`);
  }
  for (const list of ['users', 'user_groups', 'repo_groups', 'audit_log']) {
    await open(visitor, `/_admin/${list}?filter=${encodeURIComponent(walk.names.of('owner'))}`);
  }
  await openLinks(visitor);
}

/** Opens all pages of the service and of the repositories. */
export async function walkPages(walk: VcsWalk, repositories: Readonly<Record<RepositoryType, string>>): Promise<void> {
  await walkRepositories(walk, repositories);
  await walkAdministration(walk);
}
