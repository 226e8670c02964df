import type { FileChanges, HistoryEntry, LogQuery } from '../backend.ts';
import { isName } from '../revision.ts';
import { VcsError } from '../vcs-error.ts';
import type { HgCommands } from './hg-commands.ts';
import { parseLog } from './parse-log.ts';
import { literal } from './resolve-revision.ts';

const outputBytesMax = 32 * 1024 * 1024;
const mergesMax = 1_000;
const secondsMax = 2 ** 31 - 1;

const fields = ['rev', 'node', 'user', 'date', 'branch', 'desc', 'parents'];
const fileFields = ['modified', 'added', 'removed'];

const id = (rawId: string) => `id("${rawId}")`;

/** Returns a date in seconds, moved into 32 bits: Mercurial refuses dates beyond them. */
function seconds(date: Date, round: (value: number) => number): number {
  return Math.max(-secondsMax, Math.min(round(date.getTime() / 1_000), secondsMax));
}

function expression({ from, to, after, since, until, branch, reverse = false }: LogQuery): string {
  const conditions = [
    'all()',
    from && `(${id(from)}:)`,
    to && `(:${id(to)})`,
    after && (reverse ? `(:${id(after)})` : `(${id(after)}:)`),
    after && `not ${id(after)}`,
    branch && `branch(${literal(branch)})`,
    since && `date(">${seconds(since, Math.ceil)} 0")`,
    until && `date("<${seconds(until, Math.floor)} 0")`,
  ];
  return `sort(${conditions.filter(Boolean).join(' and ')}, ${reverse ? '-' : ''}rev)`;
}

async function requireBranch(hg: HgCommands, path: string, branch: string): Promise<void> {
  if (!isName(branch)) throw new VcsError('unknown-revision', 'no branch has such a name');
  const args = ['log', `--rev=present(branch(${literal(branch)}))`, '--limit=1', '--template=x'];
  if ((await hg.run(path, args)).length === 0) throw new VcsError('unknown-revision', 'no such branch');
}

async function filesOfMerge(hg: HgCommands, path: string, entry: HistoryEntry): Promise<FileChanges> {
  const revisions = [`--rev=${entry.parents[0]}`, `--rev=${entry.rawId}`];
  const shown = ['--modified', '--added', '--removed', '--print0'];
  // Paths are bytes; those that are no UTF-8 become U+FFFD.
  const lines = (await hg.run(path, ['status', ...revisions, ...shown])).toString('utf8').split('\0');
  const marked = (mark: string) => lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(mark.length));
  return { added: marked('A '), changed: marked('M '), removed: marked('R ') };
}

/** Replaces the files of merges, which Mercurial lists against both parents, by those against the first parent. */
async function againstFirstParent(hg: HgCommands, path: string, entries: HistoryEntry[]): Promise<HistoryEntry[]> {
  const merges = entries.filter(({ parents }) => parents.length > 1);
  if (merges.length > mergesMax) throw new VcsError('too-large', `the files of more than ${mergesMax} merges`);
  const files = new Map<string, FileChanges>();
  for (const merge of merges) files.set(merge.rawId, await filesOfMerge(hg, path, merge));
  return entries.map((entry) => ({ ...entry, files: files.get(entry.rawId) ?? entry.files }));
}

/** Returns the changesets of a query in the order of their numbers; VcsError `unknown-revision` for no such branch. */
export async function readHgLog(hg: HgCommands, path: string, query: LogQuery): Promise<HistoryEntry[]> {
  if (query.branch) await requireBranch(hg, path, query.branch);
  const template = `--template=json(${[...fields, ...(query.withFiles ? fileFields : [])].join(',')})`;
  const limit = query.limit ? [`--limit=${query.limit}`] : [];
  const args = ['log', `--rev=${expression(query)}`, ...limit, template];
  const entries = parseLog(await hg.run(path, args, { stdoutBytesMax: outputBytesMax }));
  return query.withFiles ? againstFirstParent(hg, path, entries) : entries;
}
