import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { workerInboxes } from '@trunkline/contracts';
import { createSecretVault, openDatabase } from '@trunkline/db';
import { connectBus, createCallMetrics, createLogger, DataClient } from '@trunkline/runtime';
import type postgres from 'postgres';
import type { Copies, CopyTarget, SentTree } from '../../apps/vcs-worker/src/copies/copies.ts';
import { createArrivals } from '../../apps/vcs-worker/src/copies/arrivals.ts';
import { copyHere } from '../../apps/vcs-worker/src/copies/copy-here.ts';
import { createCopies } from '../../apps/vcs-worker/src/copies/create-copies.ts';
import { requestCopy } from '../../apps/vcs-worker/src/copies/request-copy.ts';
import { watchStorage } from '../../apps/vcs-worker/src/serve/health/storage-health.ts';
import { openStorage } from '../../apps/vcs-worker/src/storage/storage.ts';
import type { VcsBackend } from '../../apps/vcs-worker/src/vcs/backend.ts';
import { isTransientInGit } from '../../apps/vcs-worker/src/vcs/git/unfinished-files.ts';
import { isTransientInHg } from '../../apps/vcs-worker/src/vcs/hg/hg-maintenance.ts';
import type { Cluster } from './cluster.ts';
import { commitFiles, initRepository } from './local-repository.ts';
import { someFile } from './unique-name.ts';

export interface CopySource {
  readonly copies: Copies;
  close(): Promise<void>;
}

/** Opens the sending side of copies in this process, as the worker of another storage has it. */
export async function openCopySource({ nats, secret }: Pick<Cluster, 'nats' | 'secret'>): Promise<CopySource> {
  const logger = createLogger({ role: 'test', level: 'silent' });
  const bus = await connectBus({ url: nats.workerUrl, name: 'test', inboxPrefix: workerInboxes, logger });
  const vault = createSecretVault(secret);
  const client = new DataClient({ networks: ['127.0.0.0/8'], ca: null, vault });
  const backends = { hg: { isTransient: isTransientInHg }, git: { isTransient: isTransientInGit } };
  return {
    copies: createCopies({ backends, request: (call) => requestCopy({ bus, client, vault }, call) }),
    async close() {
      client.close();
      await bus.close();
    },
  };
}

/**
 * Opens copies to the storage `default`, as a worker has them that serves both storages: all in this process. With
 * `elsewhere`, as a worker that writes trees to a storage of another one, by which the rest is done.
 */
export async function openCopiesHere(
  { database, storageRoot }: Cluster,
  sql: postgres.Sql,
  elsewhere?: CopySource,
): Promise<CopySource> {
  const [row] = await sql<{ id: string }[]>`select id from storages where name = 'default'`;
  const logger = createLogger({ role: 'test', level: 'silent' });
  const claimed = { root: storageRoot, id: String(row?.id), name: 'default' };
  const storage = await openStorage(claimed);
  const watch = watchStorage({ ...claimed, freeBytesMin: 0, probeEveryMs: 10_000, logger });
  const { db, close } = openDatabase(database.workerUrl, { name: 'test', connectionsMax: 1 });
  // Nothing else of it is used unless a copy is checked.
  const git = { isTransient: isTransientInGit } as VcsBackend;
  const backends = { hg: git, git };
  const arrivals = createArrivals({ db, backends, registry: createCallMetrics('vcs-worker').registry, logger });
  return {
    copies: {
      ...createCopies({ backends, request: (call) => copyHere(arrivals, { storage, watch }, call) }),
      ...(elsewhere && { begin: elsewhere.copies.begin, publish: elsewhere.copies.publish }),
    },
    close,
  };
}

let repositories = 1_000_000;

/** Records a running operation, whose lease is held by nobody's worker, and returns a copy to the storage. */
export async function beginOperation(sql: postgres.Sql, storage: string): Promise<CopyTarget> {
  const operationId = randomUUID();
  const uuid = randomUUID();
  repositories += 1;
  await sql`
    insert into operations (id, kind, repository_id, request, state, worker, attempt, lease_until)
    values (${operationId}, 'pull', ${repositories}, '{}', 'running', 'test', 1, now() + interval '1 day')`;
  return { storage, operationId, attempt: 1, storagePath: `@repos/${uuid.slice(0, 2)}/${uuid}.2` };
}

/** Records that another attempt at the operation has begun, and returns its copy. */
export async function nextAttempt(sql: postgres.Sql, target: CopyTarget): Promise<CopyTarget> {
  await sql`update operations set attempt = attempt + 1 where id = ${target.operationId}`;
  return { ...target, attempt: target.attempt + 1 };
}

/** Records that a repository is in use where a copy was published. */
export async function recordRepository(sql: postgres.Sql, { operationId, storage, storagePath }: CopyTarget) {
  const name = `in-use-${operationId}`;
  await sql`insert into names (path, kind) values (${name}, 'repository')`;
  await sql`
    insert into repositories (uuid, name, type, state, storage_id, storage_path, private, description, owner_id,
      landing_rev, enable_downloads, enable_locking, enable_statistics)
    select ${operationId}, ${name}, 'git', 'ready', storages.id, ${storagePath}, false, '', users.id,
      'tip', false, false, false
    from storages, users where storages.name = ${storage} limit 1`;
}

/** The tree that Trunkline would have: of git without the work tree. */
export const storedIn = (path: string, type: 'hg' | 'git') => (type === 'git' ? join(path, '.git') : path);

/** Describes what is sent of a repository. */
export const treeOf = (path: string, type: 'hg' | 'git', more: Partial<SentTree> = {}): SentTree => ({
  path: storedIn(path, type),
  type,
  changedSince: null,
  linkSources: [],
  ...more,
});

/** Makes a repository with a changeset of two files; returns its path. */
export async function makeRepositoryIn(directory: string, type: 'hg' | 'git'): Promise<string> {
  const path = join(directory, randomUUID());
  await initRepository(path, type);
  await commitFiles(path, type, { [someFile]: 'one\n', 'large.bin': 'x'.repeat(300_000) });
  return path;
}

/** Makes a tree of four large files, which is sent in many pieces. */
export async function makeLargeTreeIn(directory: string): Promise<SentTree> {
  const path = join(directory, randomUUID());
  await mkdir(path);
  for (let at = 0; at < 4; at += 1) await writeFile(join(path, String(at)), Buffer.alloc(8 << 20, at));
  return { path, type: 'git', changedSince: null, linkSources: [] };
}
