import * as v from 'valibot';
import type { Annotation, PathChange, PathHistory, PathHistoryOptions } from '../content.ts';
import { searchMsMax, toAnnotation, type FoundBlock } from '../file-history.ts';
import { inTime } from '../process/in-time.ts';
import { normalizeRoot } from '../root-path.ts';
import { nulTokens } from '../split-at-nul.ts';
import { VcsError } from '../vcs-error.ts';
import type { HgContentTools } from './hg-stream.ts';

/** Reads the values that a command of our extension prints about a path. */
async function readValues(
  { stream, pathExtension }: HgContentTools,
  path: string,
  command: readonly string[],
  { file, msMax }: { readonly file: string; readonly msMax: number },
): Promise<string[]> {
  const args = [`--config=extensions.paths=${pathExtension}`, ...command, '--', file];
  const values: string[] = [];
  for await (const some of nulTokens(inTime(msMax, (signal) => stream(path, args, signal)))) values.push(...some);
  return values;
}

function* rowsOf(values: readonly string[], width: number): Generator<readonly string[]> {
  for (let at = 0; at + width <= values.length; at += width) yield values.slice(at, at + width);
}

const Kind = v.picklist(['file', 'dir', '']);
const Change = v.picklist(['added', 'changed', 'removed', 'renamed', 'copied', '']);
const End = v.picklist(['more', 'end', 'late']);

const changeWidth = 4;
/** The search ends by itself; this is for one that hangs. */
const hangsMs = searchMsMax + 5_000;

function toChange([rawId = '', change, name = '', former = '']: readonly string[]): PathChange {
  return { rawId, change: v.parse(Change, change) || null, path: name, formerPath: former === '' ? null : former };
}

/** Reads the history of a path: of a file along renames and copies, of a directory by its name. */
export async function readHgPathHistory(
  tools: HgContentTools,
  path: string,
  rawId: string,
  requested: string,
  { skip, limit }: PathHistoryOptions,
): Promise<PathHistory> {
  const file = normalizeRoot(requested);
  const bounds = [`--skip=${skip}`, `--limit=${limit}`, `--seconds=${searchMsMax / 1_000}`];
  const command = ['trunkline-history', `--rev=${rawId}`, ...bounds];
  const [kind, ...values] = await readValues(tools, path, command, { file, msMax: hangsMs });
  const end = v.parse(End, values.at(-1));
  const changes = Array.from(rowsOf(values, changeWidth), toChange);
  const found = { kind: v.parse(Kind, kind) || null, changes, end };
  if (found.kind === null && changes.length === 0 && end === 'end' && skip === 0) {
    throw new VcsError('unknown-path', 'no changeset had it');
  }
  return found;
}

const blockWidth = 6;

function toBlock(row: readonly string[]): FoundBlock {
  const [lines, rawId = '', name = '', originLine, beforeId = '', beforePath = ''] = row;
  const before = beforeId === '' ? null : { rawId: beforeId, path: beforePath };
  return { lines: Number(lines), origin: { rawId, path: name, before }, originLine: Number(originLine) };
}

/** Finds the changesets that have written the lines of a file. */
export async function annotateHgFile(
  tools: HgContentTools,
  path: string,
  rawId: string,
  requested: string,
): Promise<Annotation> {
  const asked = { file: normalizeRoot(requested), msMax: searchMsMax };
  const values = await readValues(tools, path, ['trunkline-annotate', `--rev=${rawId}`], asked);
  return toAnnotation(Array.from(rowsOf(values, blockWidth), toBlock));
}
