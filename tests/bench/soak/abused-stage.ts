import { join } from 'node:path';
import { plantManyPaths } from '../../../apps/vcs-worker/src/vcs/testing/plant-git.ts';
import { createClient, type Client } from '../../harness/client.ts';
import { makeGitRemote, makeRemote } from '../../harness/remotes.ts';
import type { Cluster } from '../../harness/cluster.ts';

/** An ordinary user with a repository that nobody else uses. */
export interface OrdinaryUser {
  readonly username: string;
  readonly key: string;
  readonly repository: string;
  readonly address: string;
}

export interface AbusedStage {
  readonly users: readonly OrdinaryUser[];
  /** API keys of those who abuse the service, one for each abuse: administrators, and one without rights. */
  readonly keyOf: Readonly<Record<AbuserName, string>>;
  readonly heldNames: readonly string[];
  readonly slowNames: readonly string[];
  close(): Promise<void>;
}

export const files = Array.from({ length: 20 }, (_, index) => `dir-${index % 4}/file-${index}.txt`);
const ordinaryCount = 6;
export const ordinaryPassword = 'a good password';
const abuserNames = ['holder', 'leaver', 'dripper', 'greedy', 'lister', 'auditor', 'hog', 'refused'] as const;
export type AbuserName = (typeof abuserNames)[number];
const names = (word: string, count: number) => Array.from({ length: count }, (_, index) => `${word}-${index}`);

/** Creates a user, and returns the user's API key. */
export async function addUser(admin: Client, username: string, own: object = {}): Promise<string> {
  await admin.result('create_user', { username, email: `${username}@example.com`, ...own });
  return (await admin.result<{ api_key: string }>('get_user', { userid: username })).api_key;
}

async function importOf(admin: Client, repo_name: string, repo_type: 'hg' | 'git', clone_uri: string): Promise<void> {
  await admin.result('create_repo', { repo_name, repo_type, clone_uri, enable_downloads: true });
}

/** Imports repositories of twenty files and a few changesets, and has each user fork one. */
async function addOrdinary(cluster: Cluster, admin: Client): Promise<OrdinaryUser[]> {
  for (const type of ['hg', 'git'] as const) {
    const remote = await makeRemote[type]();
    await remote.commit(Object.fromEntries(files.map((file) => [file, `${file}\n`.repeat(500)])));
    for (const file of files.slice(0, 5)) await remote.commit({ [file]: `changed ${file}\n`.repeat(500) });
    await importOf(admin, `calm-${type}`, type, remote.url);
    await remote.close();
  }
  const users: OrdinaryUser[] = [];
  for (const [index, username] of names('ordinary', ordinaryCount).entries()) {
    const key = await addUser(admin, username, { password: ordinaryPassword });
    const repository = `own-${index}`;
    const args = { repoid: `calm-${index % 2 === 0 ? 'git' : 'hg'}`, fork_name: repository };
    await createClient(cluster.baseUrl, key).result('fork_repo', args);
    await admin.result('update_repo', { repoid: repository, enable_downloads: true });
    users.push({ username, key, repository, address: `203.0.113.${index + 1}` });
  }
  return users;
}

/** Imports what is costly to read; the returned remotes stay open, since they are pulled from. */
async function addCostly(admin: Client, slowNames: readonly string[]) {
  const [paths, large] = [await makeGitRemote(), await makeGitRemote()];
  await plantManyPaths(join(paths.directory, '.git'));
  await importOf(admin, 'many-paths', 'git', paths.url);
  const source = { 'source.cpp': 'int main(int a) { return a + "text"[0]; }\n'.repeat(12_000) };
  await large.commit({ ...source, 'large.bin': 'x0'.repeat(1 << 23) });
  // Two blobs without a line in common, so that their difference is large and takes long to find.
  await large.commit({ blob: Array.from({ length: 1 << 20 }, (_, line) => `before ${line * 7919}\n`).join('') });
  await large.commit({ blob: Array.from({ length: 1 << 20 }, (_, line) => `after ${line * 104729}\n`).join('') });
  await importOf(admin, 'large', 'git', large.url);
  for (const fork_name of slowNames) {
    await admin.result('fork_repo', { repoid: 'large', fork_name });
    await admin.result('update_repo', { repoid: fork_name, enable_downloads: true });
  }
  return [paths, large];
}

export async function makeAbusedStage(cluster: Cluster): Promise<AbusedStage> {
  const admin = createClient(cluster.baseUrl, cluster.adminKey);
  const users = await addOrdinary(cluster, admin);
  const [heldNames, slowNames] = [names('held', 8), names('slow', 9)];
  for (const repo_name of heldNames) await admin.result('create_repo', { repo_name });
  const remotes = await addCostly(admin, slowNames);
  const keys: [string, string][] = [];
  for (const name of abuserNames) keys.push([name, await addUser(admin, name, { admin: name !== 'refused' })]);
  return {
    users,
    keyOf: Object.fromEntries(keys) as Record<AbuserName, string>,
    heldNames,
    slowNames,
    close: async () => void (await Promise.all(remotes.map((remote) => remote.close()))),
  };
}
