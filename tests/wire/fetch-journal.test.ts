import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import {
  admin,
  cluster,
  repositoryTypes,
  sql,
  uniqueName,
  type RepositoryType,
  type TestUser,
} from '../harness/shared-cluster.ts';
import { mainBranch, someFile } from '../harness/unique-name.ts';
import { makeVisitor, password } from '../harness/web-visitor.ts';
import { git, hg } from './vcs-cluster.ts';

// Each test runs several clients, beside whatever else the machine does.
vi.setConfig({ testTimeout: 180_000 });

let directory = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-fetches-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** What a client does with each system. */
interface Work {
  /** Makes a work tree with one change, and pushes it. */
  begin(path: string, url: string): Promise<unknown>;
  /** Pushes a further change. */
  goOn(path: string): Promise<unknown>;
  clone(url: string, path: string): Promise<unknown>;
  /** Brings what is new. */
  fetch(path: string): Promise<unknown>;
}

const works: Readonly<Record<RepositoryType, Work>> = {
  git: {
    async begin(path, url) {
      await git(directory, 'clone', '-q', url, path);
      await git(path, 'switch', '-q', '-c', mainBranch);
      await works.git.goOn(path);
    },
    async goOn(path) {
      await git(path, '-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', 'commit', '--allow-empty', '-qm', 'x');
      await git(path, 'push', '-q', 'origin', mainBranch);
    },
    clone: (url, path) => git(directory, 'clone', '-q', url, path),
    fetch: (path) => git(path, 'fetch', '-q'),
  },
  hg: {
    async begin(path, url) {
      await hg(directory, 'clone', '-q', url, path);
      await writeFile(join(path, '.hg/hgrc'), `[paths]\ndefault = ${url}\n`);
      await works.hg.goOn(path);
    },
    async goOn(path) {
      await writeFile(join(path, someFile), path + String(Math.random()));
      await hg(path, 'commit', '-q', '-A', '-m', 'x');
      await hg(path, 'push', '-q');
    },
    async clone(url, path) {
      await hg(directory, 'clone', '-q', url, path);
      await writeFile(join(path, '.hg/hgrc'), `[paths]\ndefault = ${url}\n`);
    },
    fetch: (path) => hg(path, 'pull', '-q'),
  },
};

const urlOf = (name: string, login: string) => `http://${login}@${new URL(cluster.baseUrl).host}/${name}`;

/** Returns the counts of a user's clones and fetches; those of one test may lie in two periods of ten minutes. */
async function countsOf(name: string, { id }: TestUser): Promise<number[]> {
  const rows = await sql`select count from client_fetches f join repositories r on r.id = f.repository_id
    where r.name = ${name} and actor_id = ${id} order by f.id`;
  return rows.map(({ count }) => Number(count));
}

async function firstIdOf(name: string): Promise<string> {
  const [row] =
    await sql`select min(f.id)::text as id from client_fetches f join repositories r on r.id = f.repository_id
    where r.name = ${name}`;
  return String(row?.['id']);
}

const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
const untilCounted = (name: string, user: TestUser, total: number) =>
  eventually(
    () => countsOf(name, user),
    (counts) => sum(counts) >= total,
  );

const shown = (text: string) => text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

async function feedOf(user: TestUser): Promise<string> {
  return (await fetch(`${cluster.baseUrl}/_admin/journal/atom?api_key=${user.client.apiKey}`)).text();
}

it.each(repositoryTypes)('%s: clones and fetches of a user are one entry, with their number', async (type) => {
  const work = works[type];
  const [ann, bob] = [await makeVisitor({ firstname: 'Ann', lastname: 'Lee' }), await makeVisitor()];
  const name = uniqueName(`fetched-${type}`);
  await admin.result('create_repo', { repo_name: name, repo_type: type });
  for (const { client } of [ann, bob]) await client.result('follow_repo', { repoid: name });
  const [origin, first] = [join(directory, `${name}-origin`), join(directory, `${name}-1`)];
  await work.begin(origin, urlOf(name, `api-key:${admin.apiKey}`));
  // Mercurial takes no login whose name is not ASCII.
  const login = { git: `${ann.username}:${encodeURIComponent(password)}`, hg: `api-key:${ann.client.apiKey}` };
  const url = urlOf(name, login[type]);
  await work.clone(url, first);
  await work.clone(url, join(directory, `${name}-2`));
  expect(sum(await untilCounted(name, ann, 2))).toBe(2);
  // What brings nothing does not count.
  await work.fetch(first);
  await work.goOn(origin);
  await work.fetch(first);
  const counts = await untilCounted(name, ann, 3);
  expect(sum(counts)).toBe(3);

  const times = counts.length === 1 ? '3 times, ' : '';
  for (const { web } of [ann, bob]) {
    const { text } = await web.get('/_admin/journal');
    expect(shown(text)).toContain(`Ann Lee pulled from ${name} ${times}`);
  }
  const told = await feedOf(bob);
  expect(told).toContain(`Ann Lee - pulled from ${name}`);
  expect(told).toContain(counts.length === 1 ? '(3 times)' : ' times)');

  const older = await bob.web.get(`/_admin/journal?cursor=${await firstIdOf(name)}`);
  expect(shown(older.text)).not.toContain('pulled from');
  expect(shown(older.text)).toContain(`pushed into ${name}`);

  await admin.result('update_repo', { repoid: name, private: true });
  for (const text of [(await bob.web.get('/_admin/journal')).text, await feedOf(bob)]) {
    expect(text).not.toContain(name);
  }
  await admin.result('delete_repo', { repoid: name });
  expect((await ann.web.get('/_admin/journal')).text).not.toContain('pulled from');
});

it('everybody sees clones of what everybody may read, and a limited key counts for its user', async () => {
  const ann = await makeVisitor();
  const name = uniqueName('fetched-publicly');
  await admin.result('create_repo', { repo_name: name, repo_type: 'git' });
  await works.git.begin(join(directory, `${name}-origin`), urlOf(name, `api-key:${admin.apiKey}`));
  const made = await ann.client.result<{ api_key: { api_key: string } }>('create_api_key', { limited_to: 'fetch' });
  await works.git.clone(urlOf(name, `api-key:${made.api_key.api_key}`), join(directory, `${name}-1`));
  expect(sum(await untilCounted(name, ann, 1))).toBe(1);
  const [row] = await sql`select max(id)::text as id from client_fetches`;
  const { text } = await (await makeVisitor()).web.get(`/_admin/public_journal?cursor=${Number(row?.['id']) + 1}`);
  expect(shown(text)).toContain(`${ann.username} pulled from ${name}`);
});
