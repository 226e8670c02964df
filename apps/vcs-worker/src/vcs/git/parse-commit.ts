import type { Changeset } from '../backend.ts';
import { changesetDate } from '../changeset-date.ts';
import type { GitObject } from './cat-file.ts';

function decoderFor(label: string | undefined) {
  try {
    return new TextDecoder(label ?? 'utf-8');
  } catch {
    return new TextDecoder();
  }
}

function headOf(content: Buffer): Buffer {
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

/** Converts a commit object to a changeset: the author's name and address, the committer's time, the whole message. */
export function parseCommit({ id, content }: GitObject, revision: number): Changeset {
  const head = headOf(content);
  const encoding = /^encoding (.+)$/m.exec(head.toString('latin1'))?.[1];
  const decoder = decoderFor(encoding);
  const lines = decoder.decode(head).split('\n');
  const valueOf = (name: string) => lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? '';
  const committed = / (-?\d+) [+-]\d+$/.exec(valueOf('committer'))?.[1];
  return {
    rawId: id,
    revision,
    author: valueOf('author').replace(/ -?\d+ [+-]\d+$/, ''),
    date: changesetDate(Number(committed)),
    message: decoder.decode(content.subarray(head.length + 2)),
  };
}
