import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { commandLines, descendantsOf, peakMemory } from '../../apps/vcs-worker/src/vcs/testing/processes.ts';
import { plantManyPaths } from '../../apps/vcs-worker/src/vcs/testing/plant-git.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { makeGitRemote, makeHgRemote } from '../harness/remotes.ts';
import { toolCommand } from '../harness/tool-command.ts';
import { someFile } from '../harness/unique-name.ts';

/** Much longer than a child may outlive its client, and shorter than the time limit of a call. */
const secondsMax = 20;
/** Commands that read more than one object, or much: those of Mercurial that no kept process runs. */
const heldCommands = {
  git: ['diff-tree', 'archive', 'ls-tree', 'format-patch', 'cat-file --end-of-options', 'fetch', 'log', 'blame'],
  hg: ['export', 'archive', 'cat'],
};

let directory = '';
let hold = '';
let cluster: Cluster;
let admin: Client;
const sockets: Socket[] = [];

const heldCommand = fileURLToPath(new URL('../wire/mercurial/held_command.py', import.meta.url));

/**
 * Writes a tool that starts only when the file `hold` is gone, for the commands above, of which Mercurial's forked processes
 * have an extension; returns the setting with it.
 */
async function writeHeld(name: 'git' | 'hg'): Promise<string> {
  const tool = join(directory, name);
  const pattern = heldCommands[name].map((command) => `*" ${command} "*`).join('|');
  const wait = `while [ -e ${hold} ]; do sleep 0.1; done`;
  const words = toolCommand(`TRUNKLINE_${name.toUpperCase()}_COMMAND`, name).join(' ');
  const load = `--config=extensions.held='${heldCommand}' --config=held.hold=${hold}`;
  const serve = `case "$*" in *trunkline-serve*) exec ${words} ${load} "$@";; esac`;
  const script = `#!/bin/sh\n${serve}\ncase " $* " in ${pattern}) ${wait};; esac\nexec ${words} "$@"\n`;
  await writeFile(tool, script, { mode: 0o755 });
  return JSON.stringify([tool]);
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-gone-'));
  hold = join(directory, 'hold');
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 2,
    workers: 2,
    env: {
      TRUNKLINE_GIT_COMMAND: await writeHeld('git'),
      TRUNKLINE_HG_COMMAND: await writeHeld('hg'),
      TRUNKLINE_API_ACCESS_CONTROLLERS_WHITELIST:
        'ChangesetController:changeset_raw,ChangesetController:changeset_patch,FilesController:archivefile,FilesController:rawfile',
    },
  });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  const [remote, ofHg] = [await makeGitRemote(), await makeHgRemote()];
  for (const one of [remote, ofHg]) await one.commit({ 'dir/file': 'x', large: 'y'.repeat(2 * 1024 * 1024) });
  const large = await makeGitRemote();
  await plantManyPaths(join(large.directory, '.git'));
  for (const [name, { url }] of Object.entries({ held: remote, other: remote, large, 'held-hg': ofHg })) {
    await admin.result('create_repo', {
      repo_name: name,
      repo_type: name === 'held-hg' ? 'hg' : 'git',
      clone_uri: url,
      enable_downloads: true,
    });
  }
  await Promise.all([remote, ofHg, large].map((one) => one.close()));
}, 120_000);
afterAll(async () => {
  await cluster.stop();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(() => writeFile(hold, ''));
afterEach(async () => {
  await rm(hold, { force: true });
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Returns the process ids of the children that are held: of those with Mercurial's server, each worker keeps one. */
async function heldChildren(): Promise<number[]> {
  const lines = await commandLines();
  const children = await Promise.all(cluster.workers.map(({ pid }) => descendantsOf(pid ?? 0)));
  return children.flatMap((ids) => {
    const ofServer = ids.filter((id) => lines.get(id)?.includes('\0trunkline-serve\0'));
    const isTool = (id: number) => lines.get(id)?.startsWith(`/bin/sh\0${directory}/`) && !ofServer.includes(id);
    return [...ids.filter(isTool), ...ofServer.slice(1)];
  });
}

const untilHeld = (count: number) => eventually(heldChildren, (ids) => ids.length === count);
const untilNone = () => eventually(heldChildren, (ids) => ids.length === 0, secondsMax);

/** Sends a request on a new connection to one of the gateways. */
function send(head: string, body = '', gateway = 0): Socket {
  const { hostname, port } = new URL(cluster.baseUrls[gateway] ?? '');
  const socket = connect(Number(port), hostname).on('error', () => {});
  sockets.push(socket);
  socket.write(`${head} HTTP/1.1\r\nHost: a\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  return socket;
}

const sendCall = (method: string, args: object, gateway = 0) =>
  send('POST /_admin/api', JSON.stringify({ id: 1, api_key: cluster.adminKey, method, args }), gateway);

const requests: Record<string, () => Socket> = {
  'get_changeset with its files': () =>
    sendCall('get_changeset', { repoid: 'held', revision: 'tip', with_file_list: true }),
  get_repo_nodes: () => sendCall('get_repo_nodes', { repoid: 'held', revision: 'tip', root_path: '/' }, 1),
  'a history of a file': () => sendCall('get_file_history', { repoid: 'held', file_path: 'dir/file' }),
  'an annotated file': () => sendCall('annotate_file', { repoid: 'held', file_path: 'dir/file' }, 1),
  'a history of a file by hg': () => sendCall('get_file_history', { repoid: 'held-hg', file_path: 'dir/file' }),
  'a diff': () => send(`GET /held/changeset-diff/tip?api_key=${cluster.adminKey}`),
  'a patch': () => send(`GET /held/changeset-patch/tip?api_key=${cluster.adminKey}`, '', 1),
  'an archive': () => send(`GET /held/archive/tip.tar.gz?api_key=${cluster.adminKey}`),
  'a raw file': () => send(`GET /held/rawfile/tip/large?api_key=${cluster.adminKey}`, '', 1),
  'a diff by hg': () => send(`GET /held-hg/changeset-diff/tip?api_key=${cluster.adminKey}`),
  'a patch by hg': () => send(`GET /held-hg/changeset-patch/tip?api_key=${cluster.adminKey}`, '', 1),
  'an archive by hg': () => send(`GET /held-hg/archive/tip.tar.gz?api_key=${cluster.adminKey}`),
  'a raw file by hg': () => send(`GET /held-hg/rawfile/tip/large?api_key=${cluster.adminKey}`, '', 1),
};

it.each(Object.entries(requests))(
  'D12 a client that goes before the first byte of %s leaves no child',
  { timeout: 90_000 },
  async (name, request) => {
    const socket = request();
    await untilHeld(1);
    socket.destroy();
    await untilNone();
    await rm(hold);
    const repoid = name.endsWith('by hg') ? 'held-hg' : 'held';
    expect(await admin.result('get_repo_nodes', { repoid, revision: 'tip', root_path: 'dir' })).toHaveLength(1);
  },
);

it('D12 a read that others share ends when the last client goes', { timeout: 120_000 }, async () => {
  const args = { repoid: 'other', revision: 'tip', root_path: '/' };
  const clients = Array.from({ length: 12 }, (_, index) => sendCall('get_repo_nodes', args, index % 2));
  // Each worker reads once for all its calls, so there are one or two children.
  await untilHeld(2);
  const [last, ...others] = clients;
  for (const socket of others) socket.destroy();
  await untilHeld(1);
  let answer = '';
  last?.on('data', (chunk) => (answer += String(chunk)));
  await rm(hold);
  await eventually(
    async () => answer,
    (text) => text.includes('"name":"dir/file"'),
  );
});

it('D12 a client that goes leaves the operation that it began', { timeout: 120_000 }, async () => {
  const remote = await makeGitRemote();
  await remote.commit({ [someFile]: 'x' });
  const socket = sendCall('create_repo', { repo_name: 'imported', repo_type: 'git', clone_uri: remote.url });
  await untilHeld(1);
  socket.destroy();
  // A read on the same gateway, which is cancelled later, is over: so would be the import.
  const read = requests['get_repo_nodes']?.();
  await untilHeld(2);
  read?.destroy();
  await untilHeld(1);
  await rm(hold);
  const find = () => admin.call('get_repo_nodes', { repoid: 'imported', revision: 'tip', root_path: '/' });
  expect((await eventually(find, ({ error }) => error === null)).result).toMatchObject([{ name: someFile }]);
  await remote.close();
});

/** Returns the process ids of git processes that are neither kept nor held. */
async function runningGit(): Promise<number[]> {
  const lines = await commandLines();
  const children = await Promise.all(cluster.workers.map(({ pid }) => descendantsOf(pid ?? 0)));
  return children.flat().filter((id) => lines.get(id)?.includes('\0diff-tree\0'));
}

it('D12 clients that ask for a billion changed files and go leave no child', { timeout: 120_000 }, async () => {
  await rm(hold);
  const args = { repoid: 'large', revision: 'tip', with_file_list: true };
  const clients = Array.from({ length: 10 }, (_, index) => sendCall('get_changeset', args, index % 2));
  await eventually(runningGit, (ids) => ids.length > 0);
  expect(await admin.result('get_repo', { repoid: 'other' })).toMatchObject({ repo_name: 'other' });
  for (const socket of clients) socket.destroy();
  expect(await eventually(runningGit, (ids) => ids.length === 0, secondsMax)).toEqual([]);
});

it(
  'D9 diffs of a billion files are too large, 40 at once too, and others are served',
  { timeout: 120_000 },
  async () => {
    await rm(hold);
    const ask = async (page: string) => {
      const response = await fetch(`${cluster.baseUrl}/large/${page}/tip?api_key=${cluster.adminKey}`);
      return [response.status, (await response.text()).includes('This is too large to be shown')];
    };
    const asked = Array.from({ length: 40 }, (_, index) => ask(index % 2 ? 'changeset-diff' : 'changeset-patch'));
    const peak = await peakMemory(cluster.workers[0]?.pid ?? 0, async () => {
      expect(await admin.result('get_repo_nodes', { repoid: 'other', revision: 'tip', root_path: 'dir' })).toHaveLength(
        1,
      );
      for (const answer of await Promise.all(asked)) expect(answer).toEqual([422, true]);
    });
    // Without the check each of these processes takes a gigabyte.
    expect(peak.child).toBeLessThan(256 * 1024 * 1024);
  },
);
