import type { HistoryEntry, LogQuery, Relations, Relative } from '../backend.ts';
import { VcsError } from '../vcs-error.ts';
import type { GitObject } from './cat-file.ts';
import type { CommitRange } from './commit-order.ts';
import { readFileChanges } from './file-changes.ts';
import type { ObjectReader } from './object-reader.ts';
import { parseCommit, parseCommitting, parseParents } from './parse-commit.ts';
import { findBranch, type HistoryTools } from './resolve-revision.ts';

/** A commit and its position in date order over all refs. */
interface NumberedCommit {
  readonly rawId: string;
  readonly number: number;
}

const commitBytesMax = 32 * 1024 * 1024;
const readAtOnce = 256;

const unreached = () => new VcsError('unknown-revision', 'no reference reaches this commit');

/**
 * Selects the commits that match a query, and stops as soon as it has found `limit` of them; null when it may depend on
 * commits that are not in the range.
 */
function select(
  commits: CommitRange,
  query: LogQuery,
  isReached: (number: number) => boolean,
): NumberedCommit[] | null {
  const { from, to, after, reverse = false } = query;
  const at = (rawId: string | null | undefined, absent: number) => (rawId ? commits.numberOf(rawId) : absent);
  const [lowest, highest] = [at(from, 0), at(to, commits.length - 1)];
  const before = at(after, reverse ? commits.length : -1);
  if (lowest === null || highest === null || before === null) return null;
  const first = reverse ? lowest : Math.max(lowest, before + 1);
  const last = reverse ? Math.min(highest, before - 1) : highest;
  const since = query.since?.getTime() ?? -Infinity;
  const until = query.until?.getTime() ?? Infinity;
  const limit = query.limit ?? commits.length;
  const wanted: NumberedCommit[] = [];
  for (let step = 0; step <= last - first && wanted.length < limit; step += 1) {
    const number = reverse ? last - step : first + step;
    if (number < commits.first) return null;
    const time = commits.timeAt(number);
    if (time < since || time > until || !isReached(number)) continue;
    wanted.push({ rawId: commits.idAt(number) ?? '', number });
  }
  return wanted;
}

async function requireBranch({ git, reader }: HistoryTools, path: string, branch: string): Promise<string> {
  const head = await findBranch(git, reader, path, branch);
  if (!head) throw new VcsError('unknown-revision', 'no such branch');
  return head;
}

async function find(tools: HistoryTools, path: string, query: LogQuery): Promise<readonly NumberedCommit[]> {
  const head = query.branch ? await requireBranch(tools, path, query.branch) : null;
  const beginsAtOldest = !query.reverse && !query.from && !query.after;
  const wanted = await tools.history.find(path, beginsAtOldest ? 0 : null, async (commits) =>
    select(commits, query, head === null ? () => true : await commits.reachedBy(head)),
  );
  if (!wanted) throw unreached();
  return wanted;
}

function found<T>(objects: readonly (T | null)[], wanted: readonly NumberedCommit[]): T[] {
  return objects.map((object, index) => {
    if (!object) throw new VcsError('failed', `commit ${wanted[index]?.rawId} cannot be read`);
    return object;
  });
}

async function readCommits(
  reader: ObjectReader,
  path: string,
  selected: readonly NumberedCommit[],
): Promise<GitObject[]> {
  const objects: GitObject[] = [];
  let bytes = 0;
  for (let start = 0; start < selected.length; start += readAtOnce) {
    const some = selected.slice(start, start + readAtOnce);
    // The sizes are known before the first commit is read, since a few commits may be larger than the limit.
    const infos = await Promise.all(some.map(({ rawId }) => reader.check(path, rawId)));
    bytes = found(infos, some).reduce((sum, { size }) => sum + size, bytes);
    if (bytes > commitBytesMax) throw new VcsError('too-large', `more than ${commitBytesMax} bytes of commits`);
    const read = await Promise.all(some.map(({ rawId }) => reader.read(path, rawId)));
    objects.push(...found(read, some));
  }
  return objects;
}

async function readEntries(
  { git, reader }: HistoryTools,
  path: string,
  selected: readonly NumberedCommit[],
  withFiles: boolean,
): Promise<HistoryEntry[]> {
  const objects = await readCommits(reader, path, selected);
  const commits = objects.map((object) => ({ object, rawId: object.id, parents: parseParents(object) }));
  const changes = withFiles ? await readFileChanges(git, path, commits) : null;
  return commits.map(({ object, rawId, parents }, index) => ({
    ...parseCommit(object, selected[index]?.number ?? -1),
    parents,
    branch: null,
    files: changes?.get(rawId) ?? null,
  }));
}

/** Reads the log in the order of commit numbers; the number of processes does not grow with the number of commits. */
export async function readGitLog(tools: HistoryTools, path: string, query: LogQuery): Promise<HistoryEntry[]> {
  return readEntries(tools, path, await find(tools, path, query), query.withFiles);
}

/** Reads one commit by its full id; VcsError `unknown-revision` when no ref reaches it. */
export async function readGitChangeset(
  tools: HistoryTools,
  path: string,
  rawId: string,
  { withFiles }: { readonly withFiles: boolean },
): Promise<HistoryEntry> {
  const { history } = tools;
  const number = history.numberOfTip(rawId) ?? (await history.find(path, null, (commits) => commits.numberOf(rawId)));
  if (number === null) throw unreached();
  const [entry] = await readEntries(tools, path, [{ rawId, number }], withFiles);
  if (!entry) throw new VcsError('unknown-revision', 'no such commit');
  return entry;
}

/** Reads commits by their full ids, in this order; VcsError `unknown-revision` when no ref reaches one of them. */
export async function readGitChangesets(
  tools: HistoryTools,
  path: string,
  rawIds: readonly string[],
): Promise<HistoryEntry[]> {
  if (rawIds.length === 0) return [];
  const numbered = await tools.history.find(path, null, (commits) => {
    const found = rawIds.flatMap((rawId) => {
      const number = commits.numberOf(rawId);
      return number === null ? [] : [{ rawId, number }];
    });
    return found.length === rawIds.length ? found : null;
  });
  if (!numbered) throw unreached();
  return readEntries(tools, path, numbered, false);
}

/** Several commits are held at once; a larger one has no subject to show. */
const relativeBytesMax = 1024 * 1024;

/** Returns the commits with these ids that are there and not too large. */
async function readRelatives({ reader }: HistoryTools, path: string, rawIds: readonly string[]): Promise<Relative[]> {
  const relatives: Relative[] = [];
  for (const rawId of rawIds) {
    const info = await reader.check(path, rawId);
    const object = info && info.size <= relativeBytesMax ? await reader.read(path, rawId) : null;
    if (object) relatives.push(parseCommit(object, -1));
  }
  return relatives;
}

/** Returns the parents of a commit, and its children where it is among the newest commits. */
export async function readGitRelations(
  tools: HistoryTools,
  path: string,
  rawId: string,
  max: number,
): Promise<Relations> {
  const commit = await tools.reader.read(path, rawId);
  if (commit?.type !== 'commit') throw new VcsError('unknown-revision', 'no such commit');
  const childIds = await tools.history.find(path, null, (commits) => commits.childrenOf(rawId));
  return {
    ...parseCommitting(commit),
    parents: await readRelatives(tools, path, parseParents(commit).slice(0, max)),
    children: childIds && (await readRelatives(tools, path, childIds.slice(0, max))),
  };
}
