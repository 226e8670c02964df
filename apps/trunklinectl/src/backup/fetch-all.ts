import { type Database, deletedRepositories, type Dump, repositories, storages } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import { type BackupSink, openSpool, writeParts } from './sink.ts';
import { explainError } from '../errors.ts';
import { type Shown, whileRepositories } from '../show-progress.ts';
import { fetchRepository } from './fetch-repository.ts';
import type { FormerBackup } from './former-backup.ts';
import type { BackedUpRepository, MissingRepository } from './manifest.ts';
import { workThrough } from './work-through.ts';
import { mayPass, type WorkerRequests } from './worker-requests.ts';

/** Returns the storage that has the bytes of a repository now, in its trash if the repository was deleted. */
async function findStorage(db: Database, repositoryId: number): Promise<string | undefined> {
  const [row] = await db
    .select({ name: storages.name })
    .from(repositories)
    .innerJoin(storages, eq(storages.id, repositories.storageId))
    .where(eq(repositories.id, repositoryId));
  if (row) return row.name;
  const [deleted] = await db
    .select({ name: storages.name })
    .from(deletedRepositories)
    .innerJoin(storages, eq(storages.id, deletedRepositories.storageId))
    .where(eq(deletedRepositories.repositoryId, repositoryId));
  return deleted?.name;
}

/** Remembers that a write has failed, which no other repository can mend. */
export function noticeFailure(sink: Pick<BackupSink, 'write'>) {
  let failure: { readonly error: unknown } | undefined;
  const write: BackupSink['write'] = async (name, content) => {
    try {
      await sink.write(name, content);
    } catch (error) {
      failure ??= { error };
      throw error;
    }
  };
  const requireNone = () => {
    if (failure) throw failure.error;
  };
  return { write, requireNone };
}

export interface FetchTools {
  readonly requests: WorkerRequests;
  readonly db: Database;
  readonly sink: Pick<BackupSink, 'write'>;
  readonly former: FormerBackup;
  /** Whether the sink may be slow, so that trees are kept on this machine until they are whole. */
  readonly isSlow: boolean;
  /** Tells the files of this backup from those of others. */
  readonly suffix: string;
}

export interface FetchedAll {
  readonly repositories: readonly BackedUpRepository[];
  readonly missing: readonly MissingRepository[];
  /** Number of repositories whose files were kept. */
  readonly kept: number;
}

type Row = Dump['repositories'][number];
type Tree = Pick<BackedUpRepository, 'head' | 'files'>;

/** Writes the tree of a repository as it is now: that of the snapshot, or a later one. */
async function fetchTree({ requests, db, sink, isSlow, suffix }: FetchTools, row: Row): Promise<Tree> {
  const { id, uuid } = row;
  // It may have moved, or been deleted, since the last attempt.
  const storage = (await findStorage(db, id)) ?? row.storage;
  const spool = isSlow ? await openSpool() : null;
  try {
    const fetched = await fetchRepository(requests, { storage, repositoryId: id }, async ({ head, tree }) => {
      const stem = `repositories/${uuid.slice(0, 2)}/${uuid}.${head.epoch}.${head.generation}.${suffix}`;
      return { head, files: await writeParts(spool ?? sink, stem, tree) };
    });
    await spool?.forward(sink);
    return fetched;
  } finally {
    await spool?.close();
  }
}

/** Brings the trees of all repositories to the sink; lists those of which that fails. */
export async function fetchAll(tools: FetchTools, rows: readonly Row[], terminal: Shown): Promise<FetchedAll> {
  const { former } = tools;
  const sink = noticeFailure(tools.sink);
  const trees = new Map<number, Tree>();
  const reasons = new Map<number, string>();
  let kept = 0;
  await whileRepositories(terminal, rows.length, 'backed up', ({ count, say }) =>
    workThrough(rows, {
      mayPass,
      act: async (row) => {
        const unchanged = await former.findUnchanged(row);
        if (unchanged) kept += 1;
        trees.set(row.id, unchanged ?? (await fetchTree({ ...tools, sink }, row)));
        count();
      },
      failed: ({ id, name }, error) => {
        sink.requireNone();
        const reason = explainError(error).text;
        reasons.set(id, reason);
        say(`repository \`${name}\` could not be backed up: ${reason}`);
      },
    }),
  );
  const repositories = rows.flatMap((row) => {
    const tree = trees.get(row.id);
    return tree ? [{ ...row, ...tree }] : [];
  });
  const missing: MissingRepository[] = [];
  for (const row of rows) {
    const reason = reasons.get(row.id);
    if (reason === undefined) continue;
    const tree = await former.findAny(row.uuid);
    missing.push({ id: row.id, name: row.name, reason, former: tree && { ...row, ...tree } });
  }
  return { repositories, missing, kept };
}
