import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import type { HgPushCommand, HgReadCommand, VcsPushRequest, VcsReadRequest } from '@trunkline/contracts';
import { expect } from 'vitest';
import type { Client } from '../../harness/client.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { runGit, runHg } from '../../wire/vcs-cluster.ts';
import { vcsClients, type RepositoryType } from './local-history.ts';
import type { NamesOfClass } from './names-of-class.ts';
import { password, type Person } from './people.ts';

export interface VcsWalk {
  readonly cluster: Cluster;
  readonly admin: Client;
  readonly names: NamesOfClass;
  readonly directory: string;
  readonly owner: Person;
  /** Who may read, and not push. */
  readonly reader: Person;
}

const nullId = '0'.repeat(40);
const runs = { git: runGit, hg: runHg };
const pkt = (text: string) => `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;

/** Returns the arguments of each command that reads, with the names in them. */
const readArgs = (names: NamesOfClass): Readonly<Record<HgReadCommand, Readonly<Record<string, string>>>> => ({
  batch: { cmds: `lookup key=${names.of('branch')};listkeys namespace=bookmarks` },
  between: { pairs: `${nullId}-${nullId}` },
  branches: { nodes: nullId },
  branchmap: {},
  capabilities: {},
  changegroup: { roots: nullId },
  changegroupsubset: { bases: nullId, heads: nullId },
  getbundle: {},
  heads: {},
  hello: {},
  known: { nodes: nullId },
  listkeys: { namespace: 'bookmarks' },
  lookup: { key: names.of('tag') },
  protocaps: { caps: 'partial-pull' },
});

const pushArgs = (
  names: NamesOfClass,
  tip: string,
): Readonly<Record<HgPushCommand, Readonly<Record<string, string>>>> => ({
  pushkey: { namespace: 'bookmarks', key: names.of('further'), old: '', new: tip },
  unbundle: { heads: '666f726365' },
});

interface Sent {
  readonly path: string;
  readonly body?: string;
  readonly type?: string;
}

const hgSent = (commands: Readonly<Record<string, Readonly<Record<string, string>>>>, push: Partial<Sent>) =>
  Object.entries(commands).map(([cmd, args]) => ({
    path: `?${new URLSearchParams({ cmd, ...args }).toString()}`,
    ...push,
  }));

/** Returns requests of every kind. */
const requestsOf = (names: NamesOfClass, tip: string) =>
  ({
    'git-refs': [{ path: '/info/refs?service=git-upload-pack' }],
    'git-fetch': [
      {
        path: '/git-upload-pack',
        body: `${pkt('command=ls-refs\n')}0001${pkt(`ref-prefix refs/heads/${names.of('branch')}\n`)}0000`,
        type: 'application/x-git-upload-pack-request',
      },
    ],
    'git-push-refs': [{ path: '/info/refs?service=git-receive-pack' }],
    'git-push': [{ path: '/git-receive-pack', body: '0000', type: 'application/x-git-receive-pack-request' }],
    hg: hgSent(readArgs(names), {}),
    'hg-push': hgSent(pushArgs(names, tip), { body: 'HG20', type: 'application/mercurial-0.1' }),
  }) satisfies Record<VcsReadRequest | VcsPushRequest, readonly Sent[]>;

/** Sends requests of every kind of a system, and checks that names in their answers are whole. */
async function walkRequests(url: string, type: RepositoryType, tip: string, walk: VcsWalk): Promise<void> {
  const { names, owner } = walk;
  const authorization = `Basic ${Buffer.from(`${owner.username}:${password}`).toString('base64')}`;
  for (const [kind, requests] of Object.entries<readonly Sent[]>(requestsOf(names, tip))) {
    if (!kind.startsWith(type)) continue;
    for (const { path, body, type: contentType = 'text/plain' } of requests) {
      const headers = { authorization, 'content-type': contentType, 'git-protocol': 'version=2' };
      const init = body === undefined ? {} : { method: 'POST', body };
      const response = await fetch(`${url}${path}`, { ...init, headers });
      const shown = `${kind} ${path}`;
      expect(response.status, shown).toBe(200);
      expect(names.brokenIn(await response.text()), shown).toEqual([]);
    }
  }
}

/** Has a client push where it may not; checks what the client shows, and the text of the same refusal. */
async function expectRefused(
  { url, type, path, names }: { url: string; type: RepositoryType; path: string; names: NamesOfClass },
  key: string,
  status: number,
): Promise<void> {
  const pushed = await runs[type](path, vcsClients[type].pushWords(url.replace('://', `://api-key:${key}@`), names));
  expect(pushed.exitCode).not.toBe(0);
  expect(pushed.stderr).toContain(String(status));
  const question = type === 'git' ? '/info/refs?service=git-receive-pack' : '?cmd=unbundle';
  const init = type === 'git' ? {} : { method: 'POST', body: 'HG20' };
  const authorization = `Basic ${Buffer.from(`api-key:${key}`).toString('base64')}`;
  const headers = { authorization, 'content-type': 'application/mercurial-0.1' };
  const refused = await fetch(`${url}${question}`, { ...init, headers });
  expect(refused.status).toBe(status);
  expect(names.brokenIn(await refused.text())).toEqual([]);
}

/**
 * Pushes, clones and fetches a repository with names of the class, asks for everything that clients ask for, and is
 * refused. Forks and renames the repository, and returns its name.
 */
export async function walkVcs(walk: VcsWalk, type: RepositoryType): Promise<string> {
  const { cluster, admin, names, directory, owner, reader } = walk;
  const client = vcsClients[type];
  const name = `${names.of('group')}/${names.of(type)}`;
  await admin.result('create_repo', {
    repo_name: name,
    repo_type: type,
    owner: owner.username,
    enable_downloads: true,
  });
  const url = `${cluster.baseUrl}/${encodeURI(name)}`;
  // Mercurial crashes when the name in a login is not ASCII, before it sends anything.
  const login =
    type === 'git'
      ? `${encodeURIComponent(owner.username)}:${encodeURIComponent(password)}`
      : `api-key:${owner.client.apiKey}`;
  const ownUrl = url.replace('://', `://${login}@`);
  const [path, copy] = [join(directory, `${type}-work`), join(directory, `${type}-copy`)];
  await mkdir(path);
  await client.init(path);
  await client.commit(path, names, 'first');
  await client.nameAll(path, names);
  const run = async (cwd: string, words: readonly string[]) =>
    expect(await runs[type](cwd, words), words.join(' ')).toMatchObject({ exitCode: 0, stderr: '' });
  await run(path, client.pushWords(ownUrl, names));
  await run(directory, client.cloneWords(ownUrl, copy));
  expect(await client.see(copy, names)).toEqual(await client.see(path, names));
  await client.commit(path, names, `second ${names.of('message')}`);
  await run(path, client.pushWords(ownUrl, names));
  await run(copy, client.fetchWords(ownUrl));
  expect(await client.see(copy, names)).toEqual(await client.see(path, names));
  await walkRequests(url, type, await client.tip(path), walk);
  await client.commit(path, names, 'refused');
  await expectRefused({ url, type, path, names }, reader.client.apiKey, 403);
  await owner.client.result('lock', { repoid: name, locked: true });
  await expectRefused({ url, type, path, names }, admin.apiKey, 423);
  await owner.client.result('lock', { repoid: name, locked: false });
  const fork = `${names.of('group')}/${names.of(`${type}-fork`)}`;
  await owner.client.result('fork_repo', { repoid: name, fork_name: fork });
  await owner.client.result('update_repo', { repoid: name, name: names.of(`${type}-renamed`) });
  return `${names.of('group')}/${names.of(`${type}-renamed`)}`;
}
