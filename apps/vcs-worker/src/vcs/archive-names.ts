import type { ArchiveFormat } from './content.ts';
import { VcsError } from './vcs-error.ts';

/** What an archive is made of: a directory's name ends in a slash. Each character is one byte. */
export type CheckName = (name: string) => void;

/** Empty, `.` or `..` as a segment; `..` also between backslashes, which Windows takes for slashes. */
const leadsElsewhere = /(?:^|\/)\.?(?:\/|$)|(?:^|[/\\])\.\.(?:[/\\]|$)/;
/** On Windows these are separators and drives. */
const isWindowsSyntax = /\\|(?:^|\/)[A-Za-z]:/;

const metadata = { git: /(?:^|\/)\.git(?:\/|$)/i, hg: /(?:^|\/)\.hg(?:\/|$)/i };

/** Of all names, each with what a tool prints beside it. */
const listingBytesMax = 256 * 1024 * 1024;
const bytesBesideName = 64;

function lengthInCommon(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}

/**
 * Refuses names that write outside the archive's directory when they are unpacked: alone, or because a link stands in
 * for a directory. Names are to come in the order of their bytes, in which git and Mercurial list them; any other order
 * is a tree that no client makes, and refused too. Memory grows with the longest name, not with the number of names.
 */
export function checkArchiveNames(type: 'git' | 'hg', format: ArchiveFormat): CheckName {
  let previous = '';
  let bytes = 0;
  /** Lengths of those beginnings of the previous name that are files or links themselves. */
  const files: number[] = [];
  return (name) => {
    const isDirectory = name.endsWith('/');
    const path = isDirectory ? name.slice(0, -1) : name;
    if (leadsElsewhere.test(path) || metadata[type].test(path)) throw unpackable('leads elsewhere', name);
    const common = lengthInCommon(previous, name);
    // Of two names the later one is greater where they part, or longer.
    if (common === name.length || name.charCodeAt(common) < previous.charCodeAt(common)) {
      throw unpackable('is doubled or out of order', name);
    }
    while ((files.at(-1) ?? 0) > common) files.pop();
    if (files.some((length) => name[length] === '/')) throw unpackable('lies below a file or link', name);
    if (format === 'zip' && isWindowsSyntax.test(path)) {
      throw new VcsError('not-zippable', `${shown(name)} means something else on Windows`);
    }
    bytes += name.length + bytesBesideName;
    if (bytes > listingBytesMax) throw new VcsError('too-large', `more than ${listingBytesMax} bytes of names`);
    if (!isDirectory) files.push(name.length);
    previous = name;
  };
}

function shown(name: string): string {
  return JSON.stringify(Buffer.from(name.slice(0, 1_000), 'latin1').toString('utf8'));
}

function unpackable(problem: string, name: string): VcsError {
  return new VcsError('not-archivable', `${shown(name)} ${problem}`);
}
