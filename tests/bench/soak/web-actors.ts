import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../../harness/random.ts';
import { createWebClient, type WebClient } from '../../harness/web-client.ts';
import type { Stage } from './api-actors.ts';
import type { Actor, Outcome } from './run-actors.ts';

export interface Visitors extends Stage {
  readonly usernames: readonly [string, ...string[]];
  readonly password: string;
}

const parts = [
  '',
  '/changelog',
  '/changelog?branch=no-such',
  '/changeset/tip',
  '/changeset-diff/tip',
  '/changeset-patch/tip',
  '/files/tip',
  '/files/tip/docs/read.md',
  '/raw/tip/docs/read.md',
  '/branches',
  '/tags',
  '/forks',
  '/followers',
  '/feed/rss',
  '/feed/atom',
  '/archive/tip.zip',
  '/archive/tip.tar.gz',
  '/no-such-page',
] as const;

const others = ['/', '/?q=x', '/_admin/journal', '/_admin/public_journal', '/_admin/my_account', '/_admin/api-docs'];

const pageOf = ({ fixture }: Stage, random: Random): string =>
  random.below(5) === 0
    ? (others[random.below(others.length)] ?? '/')
    : `/${random.pick(fixture.sources)}${random.pick(parts)}`;

function judge(path: string, status: number): Outcome {
  if (status < 400) return 'answered';
  if (status === 503) return 'busy';
  return status < 500 ? 'refused' : { wrong: `${path}: ${status}` };
}

async function look(web: WebClient, path: string): Promise<Outcome> {
  return judge(path, (await web.get(path)).status);
}

/** Signs in, reads, follows, and signs out; sometimes with a wrong password. */
function visiting(stage: Visitors): Actor['act'] {
  return async (random, tell) => {
    const web = createWebClient(random.pick(stage.baseUrls));
    const username = random.pick(stage.usernames);
    if (random.below(5) === 0) {
      const headers = { 'X-Forwarded-For': `198.51.100.${random.below(250)}` };
      const password = randomBytes(5).toString('hex');
      const { status } = await web.post('/_admin/login', { username: `no-${username}`, password }, headers);
      tell(judge('/_admin/login', status));
    }
    await web.signIn(username, stage.password);
    for (let page = 0; page < 12; page += 1) tell(await look(web, pageOf(stage, random)));
    const { status } = await web.submit('/', '/_admin/logout', {});
    tell(status === 302 ? 'answered' : { wrong: `signing out: ${status}` });
  };
}

/** Requests large responses, and closes the connection at a random moment. */
function hangingUp(stage: Visitors): Actor['act'] {
  return async (random, tell) => {
    const baseUrl = random.pick(stage.baseUrls);
    const source = random.pick(stage.fixture.sources);
    const path = random.pick([`/${source}/archive/tip.tar`, `/${source}/raw/tip/large.bin`, `/${source}/feed/rss`]);
    const call = JSON.stringify({
      id: 1,
      api_key: stage.adminKey,
      method: 'get_repo_nodes',
      args: { repoid: source, revision: 'tip', root_path: '/' },
    });
    const abort = new AbortController();
    const asked =
      random.below(2) === 0
        ? fetch(`${baseUrl}${path}?api_key=${stage.adminKey}`, { signal: abort.signal })
        : fetch(`${baseUrl}/_admin/api`, { method: 'POST', body: call, signal: abort.signal });
    const taken = asked.then((response) => response.arrayBuffer()).then(() => 'answered' as const);
    await wait(random.below(150));
    abort.abort();
    tell(await taken.catch(() => 'hung up' as const));
  };
}

export function webActors(stage: Visitors): Actor[] {
  return [
    { name: 'visit', count: 3, act: visiting(stage) },
    { name: 'hang up', count: 2, act: hangingUp(stage) },
  ];
}
