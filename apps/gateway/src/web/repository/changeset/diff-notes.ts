import type { DiffFile, DiffLine } from '../../render/diff/diff-file.ts';
import { shownText } from '../../render/shown-text.ts';

const kinds: ReadonlyMap<string | null, string> = new Map([
  ['120000', 'symbolic link'],
  ['160000', 'submodule'],
]);

/** Returns what a path with this mode is; without a mode, a file. */
export function kindOfMode(mode: string | null): string {
  return kinds.get(mode) ?? 'file';
}

/** Returns what the modes before and after say; nothing of a plain file. */
function modeNotes({ change, oldMode, newMode }: DiffFile): string[] {
  const [old, now] = [kindOfMode(oldMode ?? newMode), kindOfMode(newMode ?? oldMode)];
  if (old !== now) return [`Changed from ${old} to ${now}`];
  if (now !== 'file') return [`${now.slice(0, 1).toUpperCase()}${now.slice(1)}`];
  if (oldMode !== null && newMode !== null && oldMode !== newMode) return [`Mode ${oldMode} → ${newMode}`];
  return change === 'added' && newMode !== null && newMode !== '100644' ? [`Mode ${newMode}`] : [];
}

const shortId = 12;

/** Returns from which commit of a submodule to which one a diff leads; only one of them for a new or removed submodule. */
function submoduleNotes({ oldMode, newMode, hunks }: DiffFile): string[] {
  const idIn = (mode: string | null, kind: DiffLine['kind']) => {
    const line = hunks.flatMap(({ lines }) => lines).find((one) => one.kind === kind);
    const isId = kindOfMode(mode) === 'submodule';
    return isId ? /^Subproject commit ([0-9a-f]+)$/.exec(line?.text ?? '')?.[1]?.slice(0, shortId) : undefined;
  };
  const ids = [idIn(oldMode, 'removed'), idIn(newMode, 'added')].filter((id) => id !== undefined);
  return ids.length === 0 ? [] : [`Subproject commit ${ids.join('..')}`];
}

/** Returns what is to be said of a changed file beside its lines. */
export function notesOf(file: DiffFile): string[] {
  const { change, oldPath, isBinary, encoding, hunks } = file;
  const notes: string[] = [];
  if (change === 'renamed') notes.push(`Renamed from ${shownText(oldPath ?? '')}`);
  if (change === 'copied') notes.push(`Copied from ${shownText(oldPath ?? '')}`);
  notes.push(...modeNotes(file), ...submoduleNotes(file));
  if (encoding !== null) notes.push(`Decoded from ${encoding}`);
  if (isBinary) notes.push('Binary file');
  else if (hunks.length === 0 && (change === 'added' || change === 'removed')) notes.push('Empty file');
  return notes;
}
