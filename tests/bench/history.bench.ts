import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fastImport } from '../../apps/vcs-worker/src/vcs/testing/feed-git.ts';
import { post } from '../harness/client.ts';
import { makeGitRemote } from '../harness/remotes.ts';
import { admin, cluster, storagePathOf, uniqueName } from '../harness/shared-cluster.ts';
import { median, report, timeRuns } from './median.ts';

const commits = 24_000;

/** Generates the input of `git fast-import`: a line of commits, every tenth of which is a merge. */
function* history(): Generator<string> {
  for (let mark = 1; mark <= commits; mark += 1) {
    const who = `A <a@example.com> ${1_500_000_000 + mark * 60} +0000`;
    yield `commit refs/heads/main\nmark :${mark}\nauthor ${who}\ncommitter ${who}\ndata 1\nx\n`;
    if (mark > 1) yield `from :${mark - 1}\n`;
    if (mark > 20 && mark % 10 === 0) yield `merge :${mark - 5}\n`;
    yield `M 100644 inline d${mark % 50}/f${mark % 500}\ndata 1\nx\n\n`;
  }
}

it(`time of the newest page of ${commits} commits, with and without commit-graph`, async () => {
  const remote = await makeGitRemote();
  const name = uniqueName('history');
  try {
    await fastImport(join(remote.directory, '.git'), [...history()].join(''));
    await admin.result('create_repo', { repo_name: name, repo_type: 'git', clone_uri: remote.url });
  } finally {
    await remote.close();
  }
  const args = { repoid: name, reverse: true, limit: 50 };
  const body = JSON.stringify({ id: 1, api_key: cluster.adminKey, method: 'get_changesets', args });
  const page = () => post(cluster.baseUrl, body);
  const answer = (await page()).text;
  const fast = median(await timeRuns(15, page));
  await rm(join(await storagePathOf(name), 'objects/info/commit-graphs'), { recursive: true });
  expect((await page()).text).toBe(answer);
  const slow = median(await timeRuns(15, page));
  report(`get_changesets, 50 of ${commits} commits, ms`, { without: slow, with: fast, ratio: slow / fast });
}, 300_000);
