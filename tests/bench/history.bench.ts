import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fastImport } from '../../apps/vcs-worker/src/vcs/testing/feed-git.ts';
import { makeGitRemote } from '../harness/remotes.ts';
import { admin, storagePathOf, uniqueName } from '../harness/shared-cluster.ts';
import { mainBranch, mainReference } from '../harness/unique-name.ts';
import { makeVisitor } from '../harness/web-visitor.ts';
import { ipCall, reportBeside } from './beside.ts';
import { median, report, timeRuns } from './median.ts';

const long = process.env['TRUNKLINE_TEST_LONG'] === '1';
const commits = long ? 150_000 : 50_000;
const runs = long ? 15 : 5;

/** Generates the input of `git fast-import`: a line of commits, every tenth of which is a merge. */
function* history(): Generator<string> {
  for (let mark = 1; mark <= commits; mark += 1) {
    const who = `A <a@example.com> ${1_200_000_000 + mark * 60} +0000`;
    yield `commit ${mainReference}\nmark :${mark}\nauthor ${who}\ncommitter ${who}\ndata 1\nx\n`;
    if (mark > 1) yield `from :${mark - 1}\n`;
    if (mark > 20 && mark % 10 === 0) yield `merge :${mark - 5}\n`;
    yield `M 100644 inline d${mark % 50}/f${mark % 500}\ndata 1\nx\n\n`;
  }
}

async function importHistory(): Promise<string> {
  const remote = await makeGitRemote();
  const name = uniqueName('history');
  try {
    await fastImport(join(remote.directory, '.git'), [...history()].join(''));
    await admin.result('create_repo', { repo_name: name, repo_type: 'git', clone_uri: remote.url });
  } finally {
    await remote.close();
  }
  return name;
}

it(`time of pages of ${commits} commits, and of others' calls beside them`, async () => {
  const name = await importHistory();
  const { web } = await makeVisitor();
  const page = async (path: string) => {
    const { status, text } = await web.get(path);
    expect(status).toBe(200);
    return text;
  };
  const newest = () => page(`/${name}/changelog`);
  const timeFirst = async () => {
    const times: number[] = [];
    for (let run = 0; run < 3; run += 1) {
      await admin.result('invalidate_cache', { repoid: name });
      times.push(...(await timeRuns(1, newest)));
    }
    return median(times);
  };
  const indexed = await timeFirst();
  const [, next = ''] = /href="([^"]*)" rel="next"/.exec(await newest()) ?? [];
  report(`changelog of ${commits} commits, ms`, {
    'first page of a generation': indexed,
    'newest page': median(await timeRuns(runs, newest)),
    'next page': median(await timeRuns(runs, () => page(next))),
    'newest page of the branch': median(
      await timeRuns(runs, () => page(`/${name}/changelog?branch=${encodeURIComponent(mainBranch)}`)),
    ),
    files: median(await timeRuns(runs, () => page(`/${name}/files`))),
  });
  await reportBeside('get_ip beside visitors of the changelog', 4, newest, ipCall(admin));
  await rm(join(await storagePathOf(name), 'objects/info/commit-graphs'), { recursive: true });
  report('first page without commit-graph, ms', { ms: await timeFirst(), ratio: (await timeFirst()) / indexed });
}, 600_000);
