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

/** A commit object as a changeset: the author's name, the committer's time, the whole message. */
export function parseCommit({ id, content }: GitObject, revision: number): Changeset {
  const bodyAt = content.indexOf('\n\n');
  const head = content.subarray(0, bodyAt < 0 ? content.length : bodyAt);
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
    message: bodyAt < 0 ? '' : decoder.decode(content.subarray(bodyAt + 2)),
  };
}
