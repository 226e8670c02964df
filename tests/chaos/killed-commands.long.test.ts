import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { toolCommand } from '../harness/tool-command.ts';
import { someFile } from '../harness/unique-name.ts';

const busy = 'Service is busy, try again later';

let directory: string;
let cluster: Cluster;
let admin: Client;
let remotes: Readonly<Record<'hg' | 'git', Remote>>;

const killing = () => join(directory, 'kill');

/** Writes a git that is killed while the file `kill` exists, as the system does for want of memory; returns its command. */
async function killedGit(): Promise<string> {
  const real = toolCommand('TRUNKLINE_GIT_COMMAND', 'git')
    .map((word) => `'${word}'`)
    .join(' ');
  const script = join(directory, 'git');
  await writeFile(script, `#!/bin/sh\n[ -e ${killing()} ] && kill -KILL $$\nexec ${real} "$@"\n`, { mode: 0o755 });
  return JSON.stringify([script]);
}

/** Returns the command of a Mercurial that is killed when it opens a repository while the file `kill` exists. */
async function killedHg(): Promise<string> {
  const extension = join(directory, 'killed.py');
  const body = `    if os.path.exists('${killing()}'):\n        os.kill(os.getpid(), signal.SIGKILL)\n`;
  await writeFile(extension, `import os\nimport signal\n\n\ndef reposetup(ui, repo):\n${body}`);
  return JSON.stringify([...toolCommand('TRUNKLINE_HG_COMMAND', 'hg'), `--config=extensions.killed=${extension}`]);
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-killed-'));
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 1,
    env: {
      TRUNKLINE_GIT_COMMAND: await killedGit(),
      TRUNKLINE_HG_COMMAND: await killedHg(),
      TRUNKLINE_API_ACCESS_CONTROLLERS_WHITELIST: 'FilesController:archivefile',
    },
  });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  remotes = { hg: await makeRemote.hg(), git: await makeRemote.git() };
  for (const type of ['hg', 'git'] as const) {
    await remotes[type].commit({ 'docs/read.me': type, [someFile]: type });
    await admin.result('create_repo', { repo_name: type, repo_type: type, clone_uri: remotes[type].url });
    await admin.result('update_repo', { repoid: type, enable_downloads: true });
  }
}, 120_000);

afterAll(async () => {
  await cluster.stop();
  await Promise.all([remotes.hg.close(), remotes.git.close()]);
  await rm(directory, { recursive: true, force: true });
});

/** What creating a repository says: before it has begun anything, and afterwards. */
const failed = { hg: busy, git: 'failed to create repository `git-2`' };
const beginnings = {
  git: 'git/info/refs?service=git-upload-pack',
  hg: 'hg?cmd=getbundle',
};

/** Returns status, Retry-After and text of the answer to a client of git or Mercurial. */
async function beginClone(type: 'hg' | 'git') {
  const headers = { Authorization: `Basic ${Buffer.from(`api-key:${cluster.adminKey}`).toString('base64')}` };
  const answer = await fetch(`${cluster.baseUrl}/${beginnings[type]}`, { headers });
  return { status: answer.status, retryAfter: answer.headers.get('Retry-After'), text: await answer.text() };
}

async function download(type: 'hg' | 'git') {
  const answer = await fetch(`${cluster.baseUrl}/${type}/archive/tip.tar?api_key=${cluster.adminKey}`);
  return { status: answer.status, retryAfter: answer.headers.get('Retry-After'), text: await answer.text() };
}

describe.each(['hg', 'git'] as const)('while each process of %s is killed by somebody else', (type) => {
  it('calls, pages and clients are told to try again', { timeout: 60_000 }, async () => {
    // Loads Mercurial; git's answers are kept.
    if (type === 'hg') await beginClone(type);
    await writeFile(killing(), '');
    try {
      const nodes = { repoid: type, revision: 'tip', root_path: '/', ret_type: 'all' };
      const [listed, pulled, cloned, archive] = await Promise.all([
        admin.call('get_repo_nodes', nodes),
        admin.call('create_repo', { repo_name: `${type}-2`, repo_type: type, clone_uri: remotes[type].url }),
        beginClone(type),
        download(type),
      ]);
      expect(existsSync(killing())).toBe(true);
      expect({ listed: listed.error, pulled: pulled.error }).toEqual({ listed: busy, pulled: failed[type] });
      expect(cloned).toEqual({ status: 503, retryAfter: '10', text: `${busy}\n` });
      expect(archive).toEqual({ status: 503, retryAfter: '5', text: `${busy}\n` });
    } finally {
      await rm(killing(), { force: true });
    }
    const again = await beginClone(type);
    expect(again.status).toBe(200);
    expect((await download(type)).status).toBe(200);
  });
});
