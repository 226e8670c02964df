import { sizeText } from '@trunkline/contracts';
import { kindOfMode, type DiffFile, type DiffLine } from '../../render/diff/diff-file.ts';
import { shownText } from '../../render/shown-text.ts';
import type { BinarySizes } from './binary-sizes.ts';

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

/** Returns the sizes that are known of a binary file, before the change and after it. */
function sizesText({ oldPath, newPath }: DiffFile, sizes: BinarySizes | undefined): string {
  const both = [sizes?.before.get(oldPath ?? ''), sizes?.after.get(newPath ?? '')].filter((size) => size !== undefined);
  return both.length === 0 ? '' : `, ${both.map(sizeText).join(' → ')}`;
}

/** Returns what is to be said of a changed file beside its lines. */
export function notesOf(file: DiffFile, sizes?: BinarySizes): string[] {
  const { change, oldPath, similarity, isBinary, encoding, hunks } = file;
  const notes: string[] = [];
  const source = `from ${shownText(oldPath ?? '')}`;
  if (change === 'renamed') notes.push(`Renamed ${source}`);
  if (change === 'copied') notes.push(`Copied ${source}`);
  if (similarity !== null && similarity < 100) notes.push(`${similarity} % of it as before`);
  notes.push(...modeNotes(file), ...submoduleNotes(file));
  if (encoding !== null) notes.push(`Decoded from ${encoding}`);
  if (isBinary) notes.push(`Binary file${sizesText(file, sizes)}`);
  else if (hunks.length === 0 && (change === 'added' || change === 'removed')) notes.push('Empty file');
  return notes;
}
