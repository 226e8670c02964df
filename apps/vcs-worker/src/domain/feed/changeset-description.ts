import type { Changeset } from '../../vcs/backend.ts';
import type { FileStat } from '../../vcs/content.ts';
import { escaped } from './feed.ts';

const charactersMax = 160;
const ellipsis = '...';

/** Returns a message on one line, cut to `charactersMax`. */
export function itemTitle(message: string): string {
  const characters = Array.from(message.replace(/\s+/g, ' ').trim());
  if (characters.length <= charactersMax) return characters.join('');
  return `${characters.slice(0, charactersMax - ellipsis.length).join('')}${ellipsis}`;
}

/** A changeset with everything that its description shows. */
export interface DescribedChangeset extends Changeset {
  readonly branches: readonly string[];
  readonly bookmarks: readonly string[];
  readonly tags: readonly string[];
  /** The changed files, at most `filesRead` of them. */
  readonly files: readonly FileStat[];
  /** Text of the diff, already cut; null when diffs are not shown. */
  readonly diff: string | null;
}

const filesShown = 100;
/** Limit of the files to read: those that are listed, and more in order to count the rest. */
export const filesRead = 1_000;

/** The mark at the end of a text that was cut. */
export const cutOffMark = '\n... (cut off)';

const letters: Readonly<Record<FileStat['change'], string>> = { added: 'A', changed: 'M', removed: 'D' };

/** Returns the name of an author; without a name, the part of the address before the @. */
function personOf(author: string): string {
  const [, name = '', address = ''] = /^([^<]*)<?([^>]*)/.exec(author) ?? [];
  return name.replaceAll('"', '').trim() || address.replace(/@.*$/s, '').trim();
}

function fileLine({ change, path, linesAdded, linesRemoved }: FileStat): string {
  const lines =
    linesAdded === null || linesRemoved === null
      ? 'binary file'
      : `${linesAdded} lines added, ${linesRemoved} lines removed`;
  return ` ${letters[change]} ${path} (${lines})`;
}

function fileLines(files: readonly FileStat[]): string[] {
  const more = files.length - filesShown;
  const count = files.length < filesRead ? `${more}` : `at least ${more}`;
  return [...files.slice(0, filesShown).map(fileLine), ...(more > 0 ? [` ... and ${count} more`] : [])];
}

function cutOff(text: string, charactersMax: number): string {
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}${cutOffMark}`;
}

/** Returns the HTML of a feed's item about a changeset. */
export function changesetDescription(changeset: DescribedChangeset, link: string, charactersMax: number): string {
  const { author, date, branches, bookmarks, tags, rawId, message, files, diff } = changeset;
  const at = date.toISOString().slice(0, 19).replace('T', ' ');
  const named = [
    ...branches.map((name) => `branch: ${name}`),
    ...bookmarks.map((name) => `bookmark: ${name}`),
    ...tags.map((name) => `tag: ${name}`),
  ];
  const text = cutOff([message.trimEnd(), ...fileLines(files)].join('\n'), charactersMax);
  const shown = diff === null ? text : `${text}\n\n${diff}`;
  return [
    ...[`${personOf(author)} committed on ${at}`, ...named].map((line) => `${escaped(line)}<br/>`),
    `changeset: <a href="${escaped(link)}">${escaped(rawId.slice(0, 8))}</a>`,
    `<pre>${escaped(shown)}</pre>`,
  ].join('\n');
}
