import type { ArchiveFormat } from './content.ts';
import { VcsError } from './vcs-error.ts';

/** Throws for a name that an archive may not have. A character is one byte; a directory's name ends in a slash. */
export type CheckName = (name: string) => void;

/** Matches an empty, `.` or `..` segment; `..` also between backslashes, which are separators on Windows. */
const leadsElsewhere = /(?:^|\/)\.?(?:\/|$)|(?:^|[/\\])\.\.(?:[/\\]|$)/;
/** Matches a backslash or a drive letter, which are a separator and a drive on Windows. */
const isWindowsSyntax = /\\|(?:^|\/)[A-Za-z]:/;

const metadata = { git: /(?:^|\/)\.git(?:\/|$)/i, hg: /(?:^|\/)\.hg(?:\/|$)/i };

/** Limit of all names of an archive, in bytes, each name counted with the bytes that a tool prints beside it. */
const listingBytesMax = 256 * 1024 * 1024;
const bytesBesideName = 64;

function lengthInCommon(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}

/**
 * Returns a check that refuses names which write outside the archive's directory when they are unpacked: by themselves,
 * or because a link has the name of a directory. Names have to come in byte order, as git and Mercurial list them; any
 * other order is a tree that no client makes, and refused too. Memory grows with the longest name, not their number.
 */
export function checkArchiveNames(type: 'git' | 'hg', format: ArchiveFormat): CheckName {
  let previous = '';
  let bytes = 0;
  /** Lengths of those prefixes of the previous name that are names of files or links. */
  const files: number[] = [];
  return (name) => {
    const isDirectory = name.endsWith('/');
    const path = isDirectory ? name.slice(0, -1) : name;
    if (leadsElsewhere.test(path) || metadata[type].test(path)) throw unpackable('leads elsewhere', name);
    const common = lengthInCommon(previous, name);
    // The later of two names has the greater byte where they first differ, or is the longer one.
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
