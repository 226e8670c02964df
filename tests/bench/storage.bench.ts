import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { afterAll, beforeAll, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { git, hg } from '../harness/remotes.ts';
import { loopsOf, residentMb } from './load.ts';
import { median, report, timeRuns } from './median.ts';

const run = promisify(execFile);
const megabytes = 500;

let cluster: Cluster;
let admin: Client;
let scratch: string;
let made = 0;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  // On the file system of the storage, so that hard links are possible.
  scratch = await mkdtemp(join(cluster.storageRoot, '..', 'scratch-'));
});
afterAll(async () => {
  await rm(scratch, { recursive: true, force: true });
  await cluster.stop();
});

const newPath = () => join(scratch, `made-${(made += 1)}`);

it.each(['hg', 'git'] as const)(
  'create_repo %s, against `init` by itself',
  async (type) => {
    const create = () => admin.result('create_repo', { repo_name: `${type}-${(made += 1)}`, repo_type: type });
    const alone = median(await timeRuns(20, create));
    const many = await loopsOf(create);
    const init =
      type === 'git' ? () => git(scratch, 'init', '--bare', newPath()) : () => hg(scratch, 'init', newPath());
    const bare = median(await timeRuns(20, init));
    report(`create_repo ${type}`, {
      'requests/s at 32': many.perSecond,
      'p50 ms': many.p50,
      'p99 ms': many.p99,
      'alone ms': alone,
      'init ms': bare,
      ratio: alone / bare,
      'worker MB': await residentMb(cluster.workers[0]?.pid),
    });
  },
  120_000,
);

/** Fills a repository with `megabytes` of random bytes, in one pack. */
async function fill(path: string): Promise<void> {
  const file = join(scratch, 'random');
  const entries: string[] = [];
  for (let index = 0; index < megabytes / 50; index += 1) {
    await writeFile(file, randomBytes(50 << 20));
    const id = (await git(path, '-c', 'core.compression=0', 'hash-object', '-w', file)).trim();
    entries.push(`100644 blob ${id}\tfile-${index}`);
  }
  await writeFile(file, `${entries.join('\n')}\n`);
  const { stdout } = await run('sh', ['-c', `git --git-dir="${path}" mktree < "${file}"`]);
  const commit = (await git(path, 'commit-tree', '-m', 'all', stdout.trim())).trim();
  await git(path, 'update-ref', 'refs/heads/master', commit);
  await git(path, '-c', 'core.compression=0', 'repack', '-a', '-d', '-q', '--window=0');
}

it(`fork_repo of ${megabytes} MB of git, against \`git clone --bare --local\``, async () => {
  await admin.result('create_repo', { repo_name: 'big', repo_type: 'git' });
  const sql = postgres(cluster.databaseUrl, { max: 1 });
  const [row] = await sql`select storage_path from repositories where name = 'big'`;
  await sql.end();
  const path = join(cluster.storageRoot, String(row?.['storage_path']));
  await fill(path);
  await run('sync');
  const fork = () => admin.result('fork_repo', { repoid: 'big', fork_name: `fork-${(made += 1)}` });
  const clone = () => git(scratch, 'clone', '-q', '--bare', '--local', path, newPath());
  const [ours, bare] = [median(await timeRuns(20, fork)), median(await timeRuns(20, clone))];
  report(`fork_repo of ${megabytes} MB, ms`, { ours, bare, ratio: ours / bare });
}, 300_000);
