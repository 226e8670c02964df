import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { deltaBomb, endlessPack, hostileGit, hugeTree } from '../../apps/vcs-worker/src/vcs/testing/hostile-git.ts';
import { endlessChangeset, hostileHg, zeroBomb } from '../../apps/vcs-worker/src/vcs/testing/hostile-hg.ts';
import { commandLines, descendantsOf, peakMemory } from '../../apps/vcs-worker/src/vcs/testing/processes.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { byForm } from '../harness/long-form.ts';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { repositoryTypes, type RepositoryType } from '../harness/shared-cluster.ts';
import { mainReference, someFile } from '../harness/unique-name.ts';
import { createWebClient } from '../harness/web-client.ts';

const mebibyte = 1 << 20;
const refs = ['HEAD', mainReference];
const largeBytes = 12 * mebibyte;
const callers = byForm(50, 100);

let cluster: Cluster;
let worker: Cluster['workers'][number];
let admin: Client;
/** Another user: what the administrator's imports hold of the slots is no matter to this one. */
let bystander: Client;
let sql: postgres.Sql;
let hostileUrl = '';
let answer: RequestListener = (_request, response) => response.end();
const hostile = createServer((request, response) => answer(request, response));
const remotes = new Map<RepositoryType, Remote>();

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 0 });
  worker = await cluster.startWorker();
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  await admin.result('create_user', { username: 'bystander', email: 'bystander@example.com', admin: true });
  const { api_key } = await admin.result<{ api_key: string }>('get_user', { userid: 'bystander' });
  bystander = createClient(cluster.baseUrl, api_key);
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  hostile.listen(0, '127.0.0.1');
  await once(hostile, 'listening');
  const address = hostile.address();
  hostileUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/x`;
  for (const type of repositoryTypes) {
    const remote = await makeRemote[type]();
    remotes.set(type, remote);
    await writeFile(join(remote.directory, 'large'), randomBytes(largeBytes));
    await remote.commit({ [someFile]: 'x' });
    await admin.result('create_repo', {
      repo_name: `innocent-${type}`,
      repo_type: type,
      clone_uri: remote.url,
      enable_downloads: true,
    });
  }
});
afterAll(async () => {
  hostile.closeAllConnections();
  hostile.close();
  for (const remote of remotes.values()) await remote.close();
  await sql.end();
  await cluster.stop();
});

const workerId = () => worker.pid;

/** Returns whether a process is kept for the next call, as is the one that starts commands; the command servers of transfers are not. */
function isKept(line: string): boolean {
  if (line.includes('/spawner.js\0')) return true;
  return line.includes('\0cat-file\0') || (line.includes('\0--cmdserver\0') && !line.includes('extensions.egress'));
}

/** Returns the command lines of processes that the worker has started, except those that it keeps. */
async function startedForCalls(): Promise<string[]> {
  const lines = await commandLines();
  const started = (await descendantsOf(workerId())).flatMap((id) => lines.get(id) ?? []);
  const others = started.filter((line) => line !== '' && !isKept(line));
  // The server that forks commands of Mercurial is kept, unlike what it has forked.
  const isOfServer = (line: string) => line.includes('\0trunkline-serve\0');
  return [...others.filter((line) => !isOfServer(line)), ...others.filter(isOfServer).slice(1)];
}

async function expectNothingLeft(): Promise<void> {
  expect(await eventually(startedForCalls, (lines) => lines.length === 0)).toEqual([]);
  const halfDone = () => findInconsistencies(sql, cluster.storageRoot);
  expect(await eventually(halfDone, (found) => found.length === 0)).toEqual([]);
  expect(await sql`select path from names where path not like 'innocent-%' and path not like 'turned-%'`).toEqual([]);
}

async function expectInnocentWorks(type: RepositoryType): Promise<void> {
  const args = { repoid: `innocent-${type}`, revision: 'tip', root_path: '/', ret_type: 'files' };
  const files = await bystander.result<{ name: string }[]>('get_repo_nodes', args);
  expect(files.map(({ name }) => name)).toEqual([someFile, 'large']);
  expect(await bystander.result('pull', { repoid: `innocent-${type}` })).toContain('Pulled');
}

function create(type: RepositoryType, name: string): Promise<string> {
  return admin.error('create_repo', { repo_name: `${type}s/${name}`, repo_type: type, clone_uri: hostileUrl });
}

const bombs: Record<RepositoryType, Record<string, () => RequestListener>> = {
  git: {
    'a delta that makes 6 GB of 20 KB': () => hostileGit(refs, (response) => response.end(deltaBomb(360))),
    'an object that says it has 100 GB': () => hostileGit(refs, (response) => response.end(hugeTree(1e11, 100))),
    '100 000 references': () =>
      hostileGit(
        Array.from({ length: 100_000 }, (_, index) => `refs/heads/b${index}`),
        (response) => response.end('no pack'),
      ),
  },
  hg: { 'a changeset that unpacks to 200 MB': () => hostileHg(zeroBomb(200 * mebibyte)) },
};

/** Errors of the bombs that fail before they exceed the memory limit of a process. */
const failures: Readonly<Record<string, string>> = {
  '100 000 references': 'broken remote',
  'a changeset that unpacks to 200 MB': 'broken remote',
};

describe.each(repositoryTypes)('D8 %s', (type) => {
  it('bombs end in an error that names no tool, and leave nothing behind', { timeout: 120_000 }, async () => {
    for (const [name, bomb] of Object.entries(bombs[type])) {
      answer = bomb();
      const peak = await peakMemory(workerId(), async () => {
        const text = `failed to create repository \`${type}s/bomb\`: ${failures[name] ?? 'too large'}`;
        expect([name, await create(type, 'bomb')]).toEqual([name, text]);
      });
      // Peak memory of the worker, and of the largest process that it has started.
      expect([name, peak.own < 500 * mebibyte, peak.child < 4_096 * mebibyte]).toEqual([name, true, true]);
      await expectNothingLeft();
    }
    await expectInnocentWorks(type);
  });

  it('a bomb that comes with a pull leaves the repository as it was', { timeout: 120_000 }, async () => {
    const repoid = `turned-${type}`;
    await admin.result('create_repo', { repo_name: repoid, repo_type: type, clone_uri: remotes.get(type)?.url });
    const before = await admin.result('get_repo_refs', { repoid });
    await admin.result('update_repo', { repoid, clone_uri: hostileUrl });
    answer = Object.values(bombs[type])[0]?.() ?? answer;
    const failure = type === 'git' ? 'too large' : 'broken remote';
    expect(await admin.error('pull', { repoid })).toBe(`Unable to pull changes from \`${repoid}\`: ${failure}`);
    expect(await admin.result('get_repo_refs', { repoid })).toEqual(before);
    await admin.result('update_repo', { repoid, clone_uri: remotes.get(type)?.url });
    expect(await admin.result('pull', { repoid })).toContain('Pulled');
    await expectNothingLeft();
  });
});

/** Sends a raw GET request, and closes the connection when the response has begun. */
async function hangUp(path: string, cookie: string): Promise<void> {
  const { hostname, port } = new URL(cluster.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nCookie: ${cookie}\r\n\r\n`);
  const [head] = await once(socket, 'data');
  socket.destroy();
  expect([path, String(head).slice(0, 12)]).toEqual([path, 'HTTP/1.1 200']);
}

it(`D12 ${callers} clients that disconnect leave no process`, { timeout: 120_000 }, async () => {
  const web = createWebClient(cluster.baseUrl);
  await web.signIn('admin', 'secret of the first administrator');
  const cookie = [...web.cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ');
  const kinds = ['archive/tip.tar', 'archive/tip.tar.gz', 'archive/tip.zip', 'rawfile/tip/large', 'changeset-diff/tip'];
  const paths = Array.from({ length: callers }, (_, index) => {
    const type = index % 4 === 0 ? 'hg' : 'git';
    return `/innocent-${type}/${kinds[index % kinds.length]}`;
  });
  let seen = 0;
  for (let start = 0; start < callers; start += 25) {
    const asking = Promise.all(paths.slice(start, start + 25).map((path) => hangUp(path, cookie)));
    const looking = eventually(startedForCalls, (lines) => (seen = Math.max(seen, lines.length)) > 0);
    await Promise.all([asking, looking]);
  }
  expect(seen).toBeGreaterThan(0);
  expect(await eventually(startedForCalls, (lines) => lines.length === 0)).toEqual([]);
  for (const type of repositoryTypes) await expectInnocentWorks(type);
});

it(
  'D8 remotes that drip without end are cut at the time limit, and others go on beside them',
  { timeout: 120_000 },
  async () => {
    await worker.stop();
    // A timeout that is short enough for the test to wait for; the bombs need longer on a busy machine.
    worker = await cluster.startWorker({ TRUNKLINE_TRANSFER_TIMEOUT: '15' });
    const drips = { git: hostileGit(refs, endlessPack), hg: hostileHg(endlessChangeset) };
    answer = (request, response) => drips[request.url?.includes('upload-pack') ? 'git' : 'hg'](request, response);
    const dripping = Promise.all(repositoryTypes.map((type) => create(type, 'drip')));
    await eventually(startedForCalls, (lines) => lines.length > 0);
    for (const type of repositoryTypes) await expectInnocentWorks(type);
    // Either the timeout of the import or that of the call may come first.
    const failed =
      /^failed to create repository `(?:hg|git)s\/drip`: timed out$|^The outcome of operation \S+ is not known yet/;
    expect(await dripping).toEqual([expect.stringMatching(failed), expect.stringMatching(failed)]);
    await expectNothingLeft();
  },
);
