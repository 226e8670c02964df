import type { PathChange, PathHistory, PathHistoryOptions, PathKind } from '../content.ts';
import { searchMsMax } from '../file-history.ts';
import { inTime } from '../process/in-time.ts';
import { normalizeRoot } from '../root-path.ts';
import { nulTokens } from '../split-at-nul.ts';
import { VcsError } from '../vcs-error.ts';
import type { GitContentTools } from './git-content-tools.ts';
import { objectAt } from './tree-entries.ts';
import { classifyMissingObject } from './tree.ts';

const changes = { A: 'added', C: 'copied', D: 'removed', M: 'changed', R: 'renamed', T: 'changed' } as const;
type Letter = keyof typeof changes;

const isLetter = (letter: string): letter is Letter => Object.hasOwn(changes, letter);

/** Settings and options of a log of ids: neither mailmap nor notes, and renames among at most 400 files. */
const plainLog = ['-c', 'diff.renameLimit=400', '--literal-pathspecs', 'log', '--no-mailmap', '--no-decorate', '-z'];

/** How the history of a path is asked for: of a file with its former names, of another path as it is. */
const forms = {
  file: ['--follow', '--name-status', '--no-ext-diff', '--no-textconv'],
  other: [],
  // Without the simplification of merges, by which a side where the path never was would hide the one where it was.
  missing: ['--full-history', '--no-merges'],
};

type Form = keyof typeof forms;

/** Parses ids and, behind each, the letters and names of `--name-status`. */
async function* parseLog(tokens: AsyncIterable<readonly string[]>, file: string): AsyncGenerator<PathChange> {
  let found = null as PathChange | null;
  let letter = null as Letter | null;
  let names: string[] = [];
  for await (const some of tokens) {
    for (const token of some) {
      if (letter !== null) {
        names.push(token);
        const isPair = letter === 'R' || letter === 'C';
        if (!found || names.length < (isPair ? 2 : 1)) continue;
        found = { ...found, change: changes[letter], path: token, formerPath: isPair ? (names[0] ?? null) : null };
        letter = null;
        names = [];
      } else if (/^\n?[A-Z]\d*$/.test(token)) {
        const first = token.trim().slice(0, 1);
        letter = isLetter(first) ? first : 'M';
      } else {
        if (found) yield found;
        found = { rawId: token.trim(), path: file, change: null, formerPath: null };
      }
    }
  }
  if (found) yield found;
}

type Wanted = PathHistoryOptions & { readonly form: Form };

async function readLog(
  { stream }: GitContentTools,
  path: string,
  rawId: string,
  file: string,
  { form, skip, limit }: Wanted,
): Promise<Pick<PathHistory, 'changes' | 'end'>> {
  const args = [...plainLog, ...forms[form], '--format=%H', rawId, '--'];
  const named = file === '' ? {} : { file };
  const log = inTime(searchMsMax, (signal) => stream(path, args, { ...named, signal, isFlushed: true }));
  const found: PathChange[] = [];
  let skipped = 0;
  try {
    for await (const change of parseLog(nulTokens(log), file)) {
      if (skipped < skip) skipped += 1;
      else if (found.length < limit) found.push(change);
      else return { changes: found, end: 'more' };
    }
  } catch (error) {
    if (error instanceof VcsError && error.kind === 'timeout') return { changes: found, end: 'late' };
    throw error;
  }
  return { changes: found, end: 'end' };
}

/** Returns what a path is at a commit; null when there is nothing. */
async function kindAt(tools: GitContentTools, path: string, rawId: string, file: string): Promise<PathKind | null> {
  const object = await objectAt(tools.reader, path, rawId, file);
  if (object) return object.type === 'tree' ? 'dir' : 'file';
  const error = await classifyMissingObject(tools, path, rawId, file, 'blob');
  if (error.kind === 'is-submodule') return 'submodule';
  if (error.kind === 'unknown-path') return null;
  throw error;
}

/** Returns whether a path that is not there any more was a file in the last commit that had it. */
async function wasFile(tools: GitContentTools, path: string, rawId: string, file: string): Promise<boolean> {
  const { changes: last } = await readLog(tools, path, rawId, file, { form: 'missing', skip: 0, limit: 1 });
  const [changed] = last;
  if (!changed) return false;
  const { reader } = tools;
  const before = await objectAt(reader, path, `${changed.rawId}^`, file);
  return (before ?? (await objectAt(reader, path, changed.rawId, file)))?.type === 'blob';
}

/** Reads the history of a path as `git log` has it: of a file along renames, of a directory by its name. */
export async function readPathHistory(
  tools: GitContentTools,
  path: string,
  rawId: string,
  requested: string,
  { skip, limit }: PathHistoryOptions,
): Promise<PathHistory> {
  const file = normalizeRoot(requested);
  const kind = await kindAt(tools, path, rawId, file);
  const isFile = kind === 'file' || (kind === null && (await wasFile(tools, path, rawId, file)));
  const form = isFile ? 'file' : kind === null ? 'missing' : 'other';
  const { changes: found, end } = await readLog(tools, path, rawId, file, { form, skip, limit });
  if (kind === null && found.length === 0 && end === 'end' && skip === 0) {
    throw new VcsError('unknown-path', 'no changeset had it');
  }
  return { kind, changes: found, end };
}
