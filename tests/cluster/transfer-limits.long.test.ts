import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { endlessPack, hostileGit } from '../../apps/vcs-worker/src/vcs/testing/hostile-git.ts';
import { endlessChangeset, hostileHg } from '../../apps/vcs-worker/src/vcs/testing/hostile-hg.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { makeRemote } from '../harness/remotes.ts';
import { repositoryTypes } from '../harness/shared-cluster.ts';
import { toolCommand } from '../harness/tool-command.ts';
import { mainReference, someFile } from '../harness/unique-name.ts';

let cluster: Cluster;
let admin: Client;
/** Another administrator, who may hold as many slots as the first one. */
let other: Client;
let sql: postgres.Sql;
let directory: string;
let oddUrl = '';
const drips: Record<string, RequestListener> = {
  git: hostileGit(['HEAD', mainReference], endlessPack),
  hg: hostileHg(endlessChangeset),
};
/** Never answers, unless the address has the type of a repository: then the response has no end. */
const odd = createServer((request, response) => {
  const [type = ''] = /^\/(git|hg)\b/.exec(request.url ?? '')?.slice(1) ?? [];
  drips[type]?.(request, response);
});

/** Writes a git whose `clone`, which makes forks, does not end. */
async function stuckGit(): Promise<string> {
  const words = toolCommand('TRUNKLINE_GIT_COMMAND', 'git').map((word) => `'${word}'`);
  const script = `#!/bin/sh\ncase " $* " in *' clone '*) exec sleep 600;; esac\nexec ${words.join(' ')} "$@"\n`;
  await writeFile(join(directory, 'git'), script, { mode: 0o755 });
  return JSON.stringify([join(directory, 'git')]);
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-stuck-'));
  odd.listen(0, '127.0.0.1');
  await once(odd, 'listening');
  const address = odd.address();
  oddUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 1,
    env: {
      TRUNKLINE_TRANSFER_TIMEOUT: '6',
      TRUNKLINE_FORK_WAIT: '20',
      TRUNKLINE_IMPORT_BYTES_MAX: '50000',
      TRUNKLINE_GIT_COMMAND: await stuckGit(),
    },
  });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  await admin.result('create_user', { username: 'other', email: 'other@example.com', admin: true });
  const { api_key } = await admin.result<{ api_key: string }>('get_user', { userid: 'other' });
  other = createClient(cluster.baseUrl, api_key);
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  odd.closeAllConnections();
  odd.close();
  await sql.end();
  await cluster.stop();
  await rm(directory, { recursive: true, force: true });
});

async function stateOf(name: string) {
  const [row] = await sql`
    select generation::int, needs_recovery as "needsRecovery" from repositories where name = ${name}`;
  return { ...row };
}

describe.each(repositoryTypes)('D8 %s', (type) => {
  const create = (repo_name: string, clone_uri: string) =>
    other.error('create_repo', { repo_name, repo_type: type, clone_uri });
  /** Imports from a remote and pulls from it, at once, because each takes the time limit; returns the state before. */
  async function expectTimeouts(name: string, url: string) {
    await admin.result('create_repo', { repo_name: name, repo_type: type });
    await admin.result('update_repo', { repoid: name, clone_uri: url });
    const before = await stateOf(name);
    expect(await Promise.all([create(`${name}-copy`, url), admin.error('pull', { repoid: name })])).toEqual([
      `failed to create repository \`${name}-copy\`: timed out`,
      `Unable to pull changes from \`${name}\`: timed out`,
    ]);
    return before;
  }

  it('too large: an import or pull of more bytes than may be received', async () => {
    const remote = await makeRemote[type]();
    try {
      await remote.commit({ [someFile]: '1' });
      const repoid = `large-${type}`;
      await admin.result('create_repo', { repo_name: repoid, repo_type: type, clone_uri: remote.url });
      await remote.commit({ [someFile]: randomBytes(200_000).toString('base64') });
      expect(await admin.error('pull', { repoid })).toBe(`Unable to pull changes from \`${repoid}\`: too large`);
      const copy = `copy-${type}`;
      expect(await create(copy, remote.url)).toBe(`failed to create repository \`${copy}\`: too large`);
    } finally {
      await remote.close();
    }
  });

  it('timed out: a remote that never answers; the repository is unchanged', async () => {
    const name = `silent-${type}`;
    const before = await expectTimeouts(name, `${oddUrl}/silent`);
    expect(await stateOf(name)).toEqual(before);
  });

  it('timed out: a remote whose response never ends', async () => {
    const name = `drip-${type}`;
    await expectTimeouts(name, `${oddUrl}/${type}`);
    expect(await stateOf(name)).toMatchObject({ needsRecovery: true });
  });
});

it('a fork that times out: get_operation and the audit log have the reason, the reply to the caller has none', async () => {
  await admin.result('create_repo', { repo_name: 'source', repo_type: 'git' });
  const text = 'failed to fork repository `source` as `fork`';
  expect(await admin.error('fork_repo', { repoid: 'source', fork_name: 'fork' })).toBe(text);
  const [operation] = await admin.result<object[]>('list_operations', { limit: 1 });
  expect(operation).toMatchObject({ kind: 'fork', state: 'failed', error: `${text}: timed out` });
  const [entry] = await admin.result<object[]>('get_audit_log', { limit: 1 });
  expect(entry).toMatchObject({ method: 'fork_repo', outcome: 'failed', error: `${text}: timed out` });
});
