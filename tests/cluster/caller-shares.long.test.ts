import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { endlessPack, hostileGit } from '../../apps/vcs-worker/src/vcs/testing/hostile-git.ts';
import { openWorkerAsker, type WorkerAsker } from '../harness/ask-worker.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { makeGitRemote } from '../harness/remotes.ts';
import { mainReference, someFile } from '../harness/unique-name.ts';

const repositories = 9;
/** More than connections hold on their way, so that a client that reads nothing keeps its slot. */
const fileBytes = 12 * 1_024 * 1_024;

let cluster: Cluster;
let asker: WorkerAsker;
let admin: Client;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  asker = await openWorkerAsker(cluster);
  admin = createClient(cluster.baseUrl, cluster.adminKey);
});
afterAll(async () => {
  // Slow readers and dripping imports would delay an orderly stop.
  await cluster.kill();
  await asker.close();
});

async function slots(name: 'slots' | 'slots_busy', lane: string): Promise<number> {
  const text = await (await fetch(cluster.metricsUrls.at(-1) ?? '')).text();
  return Number(new RegExp(`^trunkline_lane_${name}\\{lane="${lane}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
}

async function newUser(username: string): Promise<Client> {
  await admin.result('create_user', { username, email: `${username}@example.com`, admin: true });
  return createClient(
    cluster.baseUrl,
    (await admin.result<{ api_key: string }>('get_user', { userid: username })).api_key,
  );
}

it('E6 slow readers of one address leave half of the slots for other addresses', async () => {
  const remote = await makeGitRemote();
  await remote.commit({ [someFile]: randomBytes(fileBytes).toString('latin1') });
  await admin.result('create_repo', { repo_name: 'read0', repo_type: 'git', clone_uri: remote.url });
  await remote.close();
  const names = Array.from({ length: repositories }, (_, index) => `read${index}`);
  for (const fork_name of names.slice(1)) await admin.result('fork_repo', { repoid: 'read0', fork_name });

  const slow = await asker.as(null, '2001:db8::1');
  const open: Readable[] = [];
  const half = (await slots('slots', 'download')) / 2;
  const readersOfEach = Math.max(16, Math.ceil(half / repositories));
  // Those without a slot are told that the service is busy, also those that wait for one while others are slow to begin.
  const refused = names.flatMap((name) => Array.from({ length: readersOfEach }, () => name));
  const openRefused = () => {
    for (const repoid of refused.splice(0)) {
      slow.open('download_file', { repoid, revision: 'tip', path: someFile }).then(
        ({ body }) => {
          if (body instanceof Readable) open.push(body);
        },
        () => refused.push(repoid),
      );
    }
    return open.length;
  };
  await eventually(
    async () => openRefused(),
    (count) => count >= half,
  );
  expect(await slots('slots_busy', 'download')).toBe(half);

  const quick = await asker.as(null, '2001:db8:0:1::1');
  for (const repoid of names) {
    const { body } = await quick.open('download_file', { repoid, revision: 'tip', path: someFile });
    const bytes = body instanceof Readable ? await buffer(body) : body;
    expect(bytes.length).toBeGreaterThanOrEqual(fileBytes);
  }
  const neighbour = await asker.as(null, '2001:db8::2').then((calls) =>
    calls.call('view_path', {
      repoid: 'read0',
      revision: 'tip',
      path: '',
    }),
  );
  expect(neighbour.entries).toHaveLength(1);
  expect(open.length).toBe(half);
  for (const body of open) body.destroy();
});

it('E6 dripping imports of one user leave slots for imports of others', async () => {
  const dripping = createServer(hostileGit(['HEAD', mainReference], endlessPack));
  dripping.listen(0, '127.0.0.1');
  await once(dripping, 'listening');
  const address = dripping.address();
  const clone_uri = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/x`;
  const [greedy, modest] = [await newUser('greedy'), await newUser('modest')];
  const share = Math.max(1, Math.floor((await slots('slots', 'transfer')) / 2));
  for (let index = 0; index < Math.max(16, share + 1); index += 1) {
    const args = { repo_name: `drip${index}`, repo_type: 'git', clone_uri };
    greedy.call('create_repo', args).catch(() => {});
  }
  const running = () => slots('slots_busy', 'transfer');
  await eventually(running, (count) => count >= share);
  const remote = await makeGitRemote();
  await remote.commit({ [someFile]: '1' });
  for (const name of ['first', 'second', 'third']) {
    await modest.result('create_repo', { repo_name: name, repo_type: 'git', clone_uri: remote.url });
  }
  expect(await running()).toBe(share);
  await remote.close();
  dripping.closeAllConnections();
  dripping.close();
});
