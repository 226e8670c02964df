import type { Client } from '../harness/client.ts';
import type { WebClient } from '../harness/web-client.ts';
import { git, runGit } from './vcs-cluster.ts';

interface Ways {
  /** A client that has signed in. */
  readonly web: WebClient;
  readonly admin: Client;
  /** URL of the repository, with a login. */
  readonly url: string;
  /** A directory that does not exist yet. */
  readonly directory: string;
}

/** Returns the ways in which the service gives a commit, or the file `secret` of it, which has the word `password`. */
export async function waysTo({ web, admin, url, directory }: Ways, name: string, commit: string): Promise<string[]> {
  const ways: string[] = [];
  await git('/', 'init', '-q', directory);
  if ((await runGit(directory, ['fetch', '-q', url, commit])).exitCode === 0) ways.push('fetch');
  for (const page of ['raw', 'files', 'annotate', 'rawfile']) {
    const { status, text } = await web.get(`/${name}/${page}/${commit}/secret`);
    if (status === 200 && text.includes('password')) ways.push(page);
  }
  for (const page of [`changeset/${commit}`, `raw-changeset/${commit}`, `archive/${commit}.zip`]) {
    if ((await web.get(`/${name}/${page}`)).status === 200) ways.push(page);
  }
  const nodes = { revision: commit, root_path: '/' };
  if ((await admin.call('get_changeset', { repoid: name, ...nodes })).error === null) ways.push('get_changeset');
  if ((await admin.call('get_repo_nodes', { repoid: name, ...nodes })).error === null) ways.push('get_repo_nodes');
  if ((await web.get(`/${name}/feed/atom`)).text.includes(commit)) ways.push('feed');
  return ways;
}
