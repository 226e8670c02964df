import type { HistoryEntry, LogQuery } from '../backend.ts';
import { changesetDate } from '../changeset-date.ts';
import { VcsError } from '../vcs-error.ts';
import type { GitObject } from './cat-file.ts';
import { everyCommit, type CommitWalk } from './commit-walk.ts';
import type { ObjectReader } from './object-reader.ts';
import { parseCommit, parseParents } from './parse-commit.ts';
import { readFileChanges } from './read-file-changes.ts';
import { findBranch, type HistoryTools } from './resolve-revision.ts';

interface Numbered {
  readonly rawId: string;
  readonly number: number;
  readonly date: Date;
}

const commitBytesMax = 32 * 1024 * 1024;
const readAtOnce = 256;

function lines(output: Buffer): string[] {
  return output.toString('latin1').split('\n').filter(Boolean);
}

/** Returns a line `<seconds> <id>` for every commit that a ref reaches, in the order of their numbers. */
async function readOrder(walk: CommitWalk, path: string): Promise<readonly string[]> {
  return lines(await walk(path, [...everyCommit, '--date-order', '--timestamp'])).toReversed();
}

function parseLine(line: string, number: number): Numbered {
  const [seconds = '', rawId = ''] = line.split(' ');
  return { rawId, number, date: changesetDate(Number(seconds)) };
}

async function reachedBy({ git, reader, walk }: HistoryTools, path: string, branch: string): Promise<Set<string>> {
  const head = await findBranch(git, reader, path, branch);
  if (!head) throw new VcsError('unknown-revision', 'no such branch');
  return new Set(lines(await walk(path, ['--end-of-options', head])));
}

function numberOf(order: readonly string[], rawId: string): number {
  const number = order.findIndex((line) => line.endsWith(rawId));
  if (number < 0) throw new VcsError('unknown-revision', 'no reference reaches this commit');
  return number;
}

/** Selects the commits that match a query, and stops as soon as it has found `limit` of them. */
function select(order: readonly string[], query: LogQuery, reached: ReadonlySet<string> | null): Numbered[] {
  const { from, to, after, since, until, reverse = false } = query;
  const at = (rawId: string | null | undefined, absent: number) => (rawId ? numberOf(order, rawId) : absent);
  const first = Math.max(at(from, 0), reverse ? 0 : at(after, -1) + 1);
  const last = Math.min(at(to, order.length - 1), reverse ? at(after, order.length) - 1 : order.length - 1);
  const limit = query.limit ?? order.length;
  const wanted: Numbered[] = [];
  for (let step = 0; step <= last - first && wanted.length < limit; step += 1) {
    const number = reverse ? last - step : first + step;
    const one = parseLine(order[number] ?? '', number);
    if (since && one.date < since) continue;
    if (until && one.date > until) continue;
    if (reached === null || reached.has(one.rawId)) wanted.push(one);
  }
  return wanted;
}

function found<T>(objects: readonly (T | null)[], wanted: readonly Numbered[]): T[] {
  return objects.map((object, index) => {
    if (!object) throw new VcsError('failed', `commit ${wanted[index]?.rawId} cannot be read`);
    return object;
  });
}

async function readCommits(reader: ObjectReader, path: string, selected: readonly Numbered[]): Promise<GitObject[]> {
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

/** Reads the log in the order of commit numbers; the number of processes does not grow with the number of commits. */
export async function readGitLog(tools: HistoryTools, path: string, query: LogQuery): Promise<HistoryEntry[]> {
  const { git, reader, walk } = tools;
  const [order, reached] = await Promise.all([
    readOrder(walk, path),
    query.branch ? reachedBy(tools, path, query.branch) : null,
  ]);
  const selected = select(order, query, reached);
  const objects = await readCommits(reader, path, selected);
  const commits = objects.map((object) => ({ object, rawId: object.id, parents: parseParents(object) }));
  const changes = query.withFiles ? await readFileChanges(git, path, commits) : null;
  return commits.map(({ object, rawId, parents }, index) => ({
    ...parseCommit(object, selected[index]?.number ?? -1),
    parents,
    branch: null,
    files: changes?.get(rawId) ?? null,
  }));
}
