import { randomUUID } from 'node:crypto';
import {
  appendFile,
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { CopyTarget } from '../../apps/vcs-worker/src/copies/copies.ts';
import { changeTimeOf } from '../../apps/vcs-worker/src/copies/tree-state.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import {
  beginOperation,
  makeLargeTreeIn,
  makeRepositoryIn,
  nextAttempt,
  openCopySource,
  recordRepository,
  storedIn,
  treeOf,
  type CopySource,
} from '../harness/copy-source.ts';
import { describeTree, expectTree } from '../harness/describe-tree.ts';
import { eventually } from '../harness/eventually.ts';
import { commitFiles } from '../harness/local-repository.ts';
import { git, hg } from '../harness/remotes.ts';
import { someFile } from '../harness/unique-name.ts';

const never = new AbortController().signal;
const unavailable = 'Service is temporarily unavailable, try again later';
const fenced = 'Another attempt has taken the operation over, or it has ended';

let cluster: Cluster;
let sql: postgres.Sql;
let source: CopySource;
let directory: string;
let worker: Awaited<ReturnType<Cluster['startWorker']>>;

/** Starts a worker of the target alone, whose storage is not `default`. */
const startTarget = () =>
  cluster.startWorker({
    TRUNKLINE_STORAGES: `second=${cluster.storageRoots['second']}`,
    TRUNKLINE_LANES: 'storage,download,transfer,wire,wire-push',
  });

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 0, workers: 0, storages: ['second'] });
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  await (await cluster.startWorker()).stop();
  worker = await startTarget();
  source = await openCopySource(cluster);
  directory = await mkdtemp(join(tmpdir(), 'trunkline-copies-'));
});
afterAll(async () => {
  await source.close();
  await sql.end();
  await cluster.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Records an operation and begins its copy. */
async function beginCopy(): Promise<CopyTarget> {
  const target = await beginOperation(sql, 'second');
  await source.copies.begin(target, null, never);
  return target;
}

const makeRepository = (type: 'hg' | 'git') => makeRepositoryIn(directory, type);
const makeLargeTree = () => makeLargeTreeIn(directory);

const arrivedAt = (path: string) => join(cluster.storageRoots['second'] ?? '', path);
const stagedAt = ({ operationId, attempt }: CopyTarget) => arrivedAt(`@staging/${operationId}.${attempt}/tree`);
const clockOf = () => changeTimeOf({ staging: () => join(directory, 'clock') }, { id: '', attempt: 1 });

describe.each(['hg', 'git'] as const)('a repository of the type %s', (type) => {
  it('arrives whole: content, modes, times, links within it, and names that are not UTF-8', async () => {
    const path = await makeRepository(type);
    const stored = storedIn(path, type);
    const odd = Buffer.concat([Buffer.from(`${stored}/odd-`), Buffer.from([0xff, 0xe9])]);
    await writeFile(odd, 'odd');
    await writeFile(join(stored, 'one-name'), 'linked');
    await link(join(stored, 'one-name'), join(stored, 'other-name'));
    await writeFile(join(stored, 'secret'), '', { mode: 0o600 });
    await chmod(join(stored, 'secret'), 0o640);
    const expected = await describeTree(stored);
    // Locks and unfinished files of writers stay behind.
    if (type === 'hg') await symlink('host:1', join(stored, '.hg/wlock'));
    else await writeFile(join(stored, 'objects/tmp_obj_x'), 'unfinished');

    const target = await beginOperation(sql, 'second');
    await source.copies.begin(target, 1_000_000, never);
    const counts = await source.copies.send(target, treeOf(path, type), never);
    expect(counts.linked).toBeGreaterThanOrEqual(1);
    const tip =
      type === 'git' ? await git(path, 'rev-parse', 'HEAD') : await hg(path, 'log', '-r', 'tip', '-T', '{node}');
    expect(await source.copies.check(target, type, true, never)).toMatchObject({ tip: tip.trim() });
    const { sizeBytes } = await source.copies.publish(target, never);
    expect(sizeBytes).toBeGreaterThan(10_000);
    await expectTree(arrivedAt(target.storagePath), expected);
  });

  it('gets what has changed since, and loses what has gone', async () => {
    const path = await makeRepository(type);
    const stored = storedIn(path, type);
    await mkdir(join(stored, 'gone/inside'), { recursive: true });
    await writeFile(join(stored, 'gone/inside/file'), 'x');
    await writeFile(join(stored, 'becomes-directory'), 'x');
    const target = await beginCopy();
    const changedSince = await clockOf();
    await source.copies.send(target, treeOf(path, type), never);
    const before = await source.copies.check(target, type, false, never);
    await rm(join(stored, 'gone'), { recursive: true });
    await rm(join(stored, 'becomes-directory'));
    await mkdir(join(stored, 'becomes-directory'));
    await writeFile(join(stored, 'becomes-directory/file'), 'y');
    await commitFiles(path, type, { [someFile]: 'two\n' });
    await source.copies.send(target, treeOf(path, type, { changedSince }), never);
    const after = await source.copies.check(target, type, true, never);
    expect(after.tip).not.toBe(before.tip);
    expect(after.refs).not.toBe(before.refs);
    await source.copies.publish(target, never);
    await expectTree(arrivedAt(target.storagePath), await describeTree(stored));
  });

  it('that is damaged on its way does not pass the check', async () => {
    const path = await makeRepository(type);
    const target = await beginCopy();
    await source.copies.send(target, treeOf(path, type), never);
    const staged = stagedAt(target);
    const files = await readdir(staged, { recursive: true, withFileTypes: true });
    const stores = type === 'git' ? /\/objects\/[0-9a-f]{2}$/ : /\/store\/data$/;
    for (const { parentPath, name } of files.filter((file) => file.isFile() && stores.test(file.parentPath))) {
      await chmod(join(parentPath, name), 0o644);
      const bytes = await readFile(join(parentPath, name));
      bytes.writeUInt8(bytes.readUInt8(bytes.length - 3) ^ 1, bytes.length - 3);
      await writeFile(join(parentPath, name), bytes);
    }
    await expect(source.copies.check(target, type, true, never)).rejects.toThrow(
      'The copy of the repository is damaged',
    );
  });
});

it('files that change, grow, shrink and go while they are sent are repaired by what is sent later', async () => {
  const path = join(directory, randomUUID());
  await mkdir(path);
  for (const name of ['grows', 'shrinks', 'goes', 'stays']) await writeFile(join(path, name), name.repeat(400_000));
  const target = await beginCopy();
  const changedSince = await clockOf();
  let changes: Promise<unknown> | undefined;
  await source.copies.send(target, { path, type: 'git', changedSince: null, linkSources: [] }, never, () => {
    changes ??= Promise.all([
      appendFile(join(path, 'grows'), 'more'),
      truncate(join(path, 'shrinks'), 10),
      rm(join(path, 'goes')),
      writeFile(join(path, 'comes'), 'new'),
    ]);
  });
  expect(await changes).toHaveLength(4);
  await source.copies.send(target, { path, type: 'git', changedSince, linkSources: [] }, never);
  await source.copies.publish(target, never);
  await expectTree(arrivedAt(target.storagePath), await describeTree(path));
});

it('files that are shared with a repository at the target are linked there, unless that one has changed', async () => {
  const root = await makeRepository('git');
  const fork = join(directory, randomUUID());
  await git(directory, 'clone', '-q', '--mirror', '--local', storedIn(root, 'git'), storedIn(fork, 'git'));
  const rootTarget = await beginCopy();
  await source.copies.send(rootTarget, treeOf(root, 'git'), never);
  await source.copies.publish(rootTarget, never);
  const objects = Object.keys(await describeTree(storedIn(fork, 'git'))).filter((name) => /[0-9a-f]{38}$/.test(name));
  const atRoot = join(arrivedAt(rootTarget.storagePath), objects[0] ?? '');
  await chmod(atRoot, 0o644);
  await appendFile(atRoot, 'x');

  const target = await beginCopy();
  const linkSources = [{ path: storedIn(root, 'git'), storagePath: rootTarget.storagePath }];
  const { linked } = await source.copies.send(target, treeOf(fork, 'git', { linkSources }), never);
  expect(linked).toBe(objects.length - 1);
  await source.copies.publish(target, never);
  const inodes = async ({ storagePath }: CopyTarget) =>
    Promise.all(objects.map(async (name) => (await lstat(join(arrivedAt(storagePath), name))).ino));
  const [one, other] = [await inodes(target), await inodes(rootTarget)];
  expect(one.filter((inode, index) => inode === other[index])).toHaveLength(objects.length - 1);
});

it('a link that leads elsewhere is refused by name, and nothing arrives', async () => {
  const path = await makeRepository('git');
  await symlink('/etc/passwd', join(path, '.git/leads-elsewhere'));
  const target = await beginCopy();
  await expect(source.copies.send(target, treeOf(path, 'git'), never)).rejects.toThrow(
    '`leads-elsewhere` in the repository is neither a plain file nor a directory',
  );
});

it('E2 a worker with another secret is refused', async () => {
  const other = await openCopySource({ nats: cluster.nats, secret: 'x'.repeat(64) });
  await expect(other.copies.begin(await beginOperation(sql, 'second'), null, never)).rejects.toThrow(unavailable);
  await other.close();
});

describe('an attempt', () => {
  it('clears what earlier ones have staged and published, and fences them', async () => {
    const path = await makeRepository('git');
    const first = await beginCopy();
    await expect(source.copies.begin(first, null, never)).rejects.toThrow('The attempt has begun before');
    await source.copies.send(first, treeOf(path, 'git'), never);
    await source.copies.publish(first, never);
    await source.copies.send(first, treeOf(path, 'git'), never);
    const second = await nextAttempt(sql, first);
    for (const act of [
      () => source.copies.begin(first, null, never),
      () => source.copies.send(first, treeOf(path, 'git'), never),
      () => source.copies.check(first, 'git', false, never),
      () => source.copies.publish(first, never),
    ]) {
      await expect(act()).rejects.toThrow(fenced);
    }
    await source.copies.begin(second, null, never);
    await expect(lstat(arrivedAt(second.storagePath))).rejects.toThrow('ENOENT');
    await expect(lstat(stagedAt(first))).rejects.toThrow('ENOENT');
    await sql`update operations set lease_until = now() - interval '1 second' where id = ${first.operationId}`;
    await expect(source.copies.send(second, treeOf(path, 'git'), never)).rejects.toThrow(fenced);
  });

  it('removes no repository that is in use at its path', async () => {
    const path = await makeRepository('git');
    const first = await beginCopy();
    await source.copies.send(first, treeOf(path, 'git'), never);
    await source.copies.publish(first, never);
    await recordRepository(sql, first);
    const second = await nextAttempt(sql, first);
    await expect(source.copies.begin(second, null, never)).rejects.toThrow('A repository is in use at the path');
    await expectTree(arrivedAt(first.storagePath), await describeTree(storedIn(path, 'git')));
  });

  it('does not begin on a storage without space or that takes no writes', async () => {
    const target = await beginOperation(sql, 'second');
    await expect(source.copies.begin(target, 2 ** 52, never)).rejects.toThrow('Storage `second` is full');
    await sql`update storages set state = 'read-only' where name = 'second'`;
    await expect(source.copies.begin(target, 0, never)).rejects.toThrow('Storage `second` is read-only');
    await sql`update storages set state = 'active' where name = 'second'`;
  });

  it('that ends in the middle frees the target for the next one', async () => {
    const tree = await makeLargeTree();
    let target = await beginOperation(sql, 'second');
    // More of them than arrivals that a worker takes at once.
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      await source.copies.begin(target, null, never);
      const ending = new AbortController();
      // By then the target has taken the transfer up.
      const sent = source.copies.send(target, tree, ending.signal, ({ done }) => {
        if (done > 16 << 20) ending.abort(new Error('the source has ended'));
      });
      await expect(sent).rejects.toThrow('the source has ended');
      target = await nextAttempt(sql, target);
    }
    await source.copies.begin(target, null, never);
    await source.copies.send(target, tree, never);
    await source.copies.publish(target, never);
    await expectTree(arrivedAt(target.storagePath), await describeTree(tree.path));
  });

  it('ends when the worker of the target is killed; another worker goes on', async () => {
    const tree = await makeLargeTree();
    const first = await beginCopy();
    let killed: Promise<void> | undefined;
    const sent = source.copies.send(first, tree, never, () => {
      killed ??= worker.kill();
    });
    await expect(sent).rejects.toThrow(unavailable);
    await killed;
    worker = await startTarget();
    const second = await nextAttempt(sql, first);
    await eventually(
      () =>
        source.copies.begin(second, null, never).then(
          () => true,
          () => false,
        ),
      (begun) => begun,
    );
    await source.copies.send(second, tree, never);
    await source.copies.publish(second, never);
    await expectTree(arrivedAt(second.storagePath), await describeTree(tree.path));
  });
});
