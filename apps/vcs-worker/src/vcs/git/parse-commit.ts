import { decodeText } from '@trunkline/runtime/text';
import type { Changeset } from '../backend.ts';
import { changesetDate } from '../changeset-date.ts';
import type { GitObject } from './cat-file.ts';

/** Returns the lines of an object before its message. */
export function headOf(content: Buffer): Buffer {
  const bodyAt = content.indexOf('\n\n');
  return content.subarray(0, bodyAt < 0 ? content.length : bodyAt);
}

/** Returns the full ids of a commit object's parents, the first parent first. */
export function parseParents({ content }: GitObject): string[] {
  const lines = headOf(content)
    .toString('latin1')
    .matchAll(/^parent ([0-9a-f]{40})$/gm);
  return [...lines].map(([, id = '']) => id);
}

interface Signature {
  /** Name and address. */
  readonly who: string;
  /** Seconds since 1970; NaN for a line without a date. */
  readonly seconds: number;
}

/**
 * Parses what a commit says of its author or committer, `<name> <address> <seconds> <zone>`: old tools have left out parts
 * and the spaces between them. As git does it, the date is the number behind the last `>`. A character is a byte.
 */
export function parseSignature(line: string): Signature {
  const end = line.lastIndexOf('>') + 1;
  const behind = /^[ \t]*(-?\d+)/.exec(line.slice(end));
  if (end > 0 && behind) return { who: line.slice(0, end), seconds: Number(behind[1]) };
  const atEnd = /(?:^| )(-?\d+) [+-]\d+$/.exec(line);
  // A byte that is white space in Latin-1 may end a character.
  return { who: line.slice(0, atEnd?.index).replace(/(?<! ) +$/, ''), seconds: Number(atEnd?.[1]) };
}

/** Returns whether every release of git reads the date of a commit alike, by which it puts commits in order. */
export function isClearlyDated({ content }: Pick<GitObject, 'content'>): boolean {
  return /^committer [^<>\n]*<[^<>\n]*> \d{1,12} [+-]\d{4}$/m.test(headOf(content).toString('latin1'));
}

function readHead({ content }: Pick<GitObject, 'content'>) {
  const head = headOf(content);
  // One character for each byte.
  const lines = head.toString('latin1').split('\n');
  const valueOf = (name: string) => lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? '';
  const encoding = valueOf('encoding') || undefined;
  const whoIs = (name: string) => decodeText(Buffer.from(parseSignature(valueOf(name)).who, 'latin1'), encoding);
  const dateOf = (name: string) => changesetDate(parseSignature(valueOf(name)).seconds);
  return { length: head.length, encoding, whoIs, dateOf };
}

/** Returns who committed a commit, and when its author wrote it. */
export function parseCommitting(object: Pick<GitObject, 'content'>): { committer: string; authored: Date } {
  const { whoIs, dateOf } = readHead(object);
  return { committer: whoIs('committer'), authored: dateOf('author') };
}

/** Converts a commit object to a changeset: the author's name and address, the committer's time, the whole message. */
export function parseCommit({ id, content }: GitObject, revision: number): Changeset {
  const { length, encoding, whoIs, dateOf } = readHead({ content });
  return {
    rawId: id,
    revision,
    author: whoIs('author'),
    date: dateOf('committer'),
    message: decodeText(content.subarray(length + 2), encoding),
  };
}
