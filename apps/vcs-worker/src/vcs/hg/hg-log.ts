import { decodeText, nameText } from '@trunkline/runtime/text';
import * as v from 'valibot';
import type { Changeset, FileChanges, HistoryEntry, LogQuery, Relations } from '../backend.ts';
import { changesetDate } from '../changeset-date.ts';
import { isName, parseFullName } from '../revision.ts';
import { VcsError } from '../vcs-error.ts';
import type { HgCommands } from './hg-commands.ts';
import { literal } from './resolve-revision.ts';

/** The null id, which stands for no changeset. */
export const noChangeset = '0'.repeat(40);

/** Returns the bytes of a text in which Mercurial has escaped those that are no UTF-8 as lone surrogates. */
function bytesOf(text: string): Buffer {
  const parts = text.split(/([\udc80-\udcff]+)/u);
  // Parts of an odd number are what the group of the pattern has found.
  return Buffer.concat(parts.map((part, at) => (at % 2 === 0 ? Buffer.from(part) : Buffer.from(part, 'latin1'))));
}

const text = v.pipe(
  v.string(),
  v.transform((sent) => (/[\udc80-\udcff]/u.test(sent) ? decodeText(bytesOf(sent)) : sent)),
);
const name = v.pipe(
  v.string(),
  v.transform((sent) => (/[\udc80-\udcff\ufffd]/u.test(sent) ? nameText(bytesOf(sent)) : sent)),
);

const Entry = v.object({
  rev: v.number(),
  node: v.string(),
  stored_user: text,
  date: v.tuple([v.number(), v.number()]),
  branch: name,
  stored_desc: text,
  parents: v.array(v.string()),
  modified: v.optional(v.array(name)),
  added: v.optional(v.array(name)),
  removed: v.optional(v.array(name)),
});

function toEntry({ node, rev, date, ...rest }: v.InferOutput<typeof Entry>): HistoryEntry {
  const { added, modified: changed, removed } = rest;
  return {
    rawId: node,
    revision: rev,
    author: rest.stored_user,
    date: changesetDate(date[0]),
    message: rest.stored_desc,
    parents: rest.parents.filter((id) => id !== noChangeset),
    branch: rest.branch,
    files: added && changed && removed ? { added, changed, removed } : null,
  };
}

/** Parses the JSON that `hg log` prints; throws VcsError `failed` for any other output. */
function parseLog(output: Buffer): HistoryEntry[] {
  try {
    return v.parse(v.array(Entry), JSON.parse(output.toString('utf8'))).map(toEntry);
  } catch (cause) {
    throw new VcsError('failed', 'hg log printed no changesets', { cause });
  }
}

const outputBytesMax = 32 * 1024 * 1024;
const mergesMax = 1_000;
const secondsMax = 2 ** 31 - 1;

const fields = ['rev', 'node', 'stored_user', 'date', 'branch', 'stored_desc', 'parents'];
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
    branch && ofBranch(branch),
    since && `date(">${seconds(since, Math.ceil)} 0")`,
    until && `date("<${seconds(until, Math.floor)} 0")`,
  ];
  return `sort(${conditions.filter(Boolean).join(' and ')}, ${reverse ? '-' : ''}rev)`;
}

/** Returns the changesets of a branch or, named in full, those that a bookmark reaches: no name of a branch has a colon. */
function ofBranch(branch: string): string {
  const full = parseFullName('hg', branch);
  return full?.kind === 'bookmark' ? `::present(bookmark(${literal(full.name)}))` : `branch(${literal(branch)})`;
}

async function requireBranch(hg: HgCommands, path: string, branch: string): Promise<void> {
  if (!isName(branch)) throw new VcsError('unknown-revision', 'no branch has such a name');
  const args = ['log', `--rev=present(${ofBranch(branch)})`, '--limit=1', '--template=x'];
  if ((await hg.run(path, args)).length === 0) throw new VcsError('unknown-revision', 'no such branch');
}

/** Returns the files in which two changesets differ; `null` stands for the changeset without files. */
export async function readHgChanges(hg: HgCommands, path: string, before: string, after: string): Promise<FileChanges> {
  const revisions = [`--rev=${before}`, `--rev=${after}`];
  const shown = ['--modified', '--added', '--removed', '--print0'];
  const lines = nameText(await hg.run(path, ['status', ...revisions, ...shown])).split('\0');
  const marked = (mark: string) => lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(mark.length));
  return { added: marked('A '), changed: marked('M '), removed: marked('R ') };
}

/** Replaces the files of merges, which Mercurial lists against both parents, by those against the first parent. */
async function againstFirstParent(hg: HgCommands, path: string, entries: HistoryEntry[]): Promise<HistoryEntry[]> {
  const merges = entries.filter(({ parents }) => parents.length > 1);
  if (merges.length > mergesMax) throw new VcsError('too-large', `the files of more than ${mergesMax} merges`);
  const files = new Map<string, FileChanges>();
  for (const { rawId, parents } of merges) {
    files.set(rawId, await readHgChanges(hg, path, parents[0] ?? 'null', rawId));
  }
  return entries.map((entry) => ({ ...entry, files: files.get(entry.rawId) ?? entry.files }));
}

/** Returns the changesets that arguments of `hg log` select. */
export async function readHgEntries(
  hg: HgCommands,
  path: string,
  args: readonly string[],
  shown: readonly string[] = fields,
): Promise<HistoryEntry[]> {
  const template = `--template=json(${shown.join(',')})`;
  return parseLog(await hg.run(path, ['log', ...args, template], { stdoutBytesMax: outputBytesMax }));
}

/** Returns changesets by their full ids, in this order; VcsError `unknown-revision` when one is not there. */
export async function readHgChangesets(
  hg: HgCommands,
  path: string,
  rawIds: readonly string[],
): Promise<HistoryEntry[]> {
  if (rawIds.length === 0) return [];
  const found = await readHgEntries(hg, path, [`--rev=${[...new Set(rawIds)].map(id).join('+')}`]);
  const byId = new Map(found.map((entry) => [entry.rawId, entry]));
  return rawIds.map((rawId) => {
    const entry = byId.get(rawId);
    if (!entry) throw new VcsError('unknown-revision', 'no such changeset');
    return entry;
  });
}

/** Returns the changesets of a query in the order of their numbers; VcsError `unknown-revision` for no such branch. */
export async function readHgLog(hg: HgCommands, path: string, query: LogQuery): Promise<HistoryEntry[]> {
  if (query.branch) await requireBranch(hg, path, query.branch);
  const limit = query.limit ? [`--limit=${query.limit}`] : [];
  const args = [`--rev=${expression(query)}`, ...limit];
  if (!query.withFiles) return readHgEntries(hg, path, args);
  return againstFirstParent(hg, path, await readHgEntries(hg, path, args, [...fields, ...fileFields]));
}

/** Among so many changesets after one its children are looked for: a child far behind is rare, and a long search slow. */
const childrenAmong = 10_000;

/** Returns the parents and children of a changeset by one command. */
export async function readHgRelations(hg: HgCommands, path: string, rawId: string, max: number): Promise<Relations> {
  const children = `limit(children(${id(rawId)}) and limit(${id(rawId)}:, ${childrenAmong}), ${max})`;
  const args = [
    'log',
    `--rev=p1(${id(rawId)}) + p2(${id(rawId)}) + ${children}`,
    `--template=json(${fields.join(',')})`,
  ];
  const entries = parseLog(await hg.run(path, args, { stdoutBytesMax: outputBytesMax }));
  const isChild = ({ parents }: HistoryEntry) => parents.includes(rawId);
  return {
    committer: null,
    authored: null,
    parents: entries.filter((entry) => !isChild(entry)),
    children: entries.filter(isChild),
  };
}

function parseTip(output: Buffer): Changeset | null {
  // One character for each byte.
  const [rawId = '', revision = '', date = '', author = '', ...message] = output.toString('latin1').split('\0');
  if (rawId === noChangeset) return null;
  return {
    rawId,
    revision: Number(revision),
    author: decodeText(Buffer.from(author, 'latin1')),
    date: changesetDate(Number(date.split(' ')[0])),
    message: decodeText(Buffer.from(message.join('\0'), 'latin1')),
  };
}

/** Returns the newest changeset; null when there is none. */
export async function readHgTip(hg: HgCommands, path: string): Promise<Changeset | null> {
  const template = '--template={node}\\0{rev}\\0{date|hgdate}\\0{stored_user}\\0{stored_desc}';
  return parseTip(await hg.run(path, ['log', '--rev=tip', template]));
}
