import { decodeText } from '@trunkline/runtime/text';
import type { DescribedRef, VcsReads } from '../backend.ts';
import { changesetDate } from '../changeset-date.ts';
import type { GitObject } from './cat-file.ts';
import type { ObjectReader } from './object-reader.ts';
import { headOf, parseCommit, parseSignature } from './parse-commit.ts';

/** Larger commits and tags are not described: a page has a hundred of them. */
const objectBytesMax = 64 * 1024;

const signatureBegin = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----/m;

async function readSmall(reader: ObjectReader, path: string, expression: string): Promise<GitObject | null> {
  const info = await reader.check(path, expression);
  return info && info.size <= objectBytesMax ? reader.read(path, info.id) : null;
}

function toChangeset(commit: GitObject | null): DescribedRef['changeset'] {
  if (commit?.type !== 'commit') return null;
  const { author, date, message } = parseCommit(commit, 0);
  const isSigned = /^gpgsig(?:-sha256)? /m.test(headOf(commit.content).toString('latin1'));
  return { author, date, message, isSigned };
}

function toTag(tag: GitObject | null): DescribedRef['tag'] {
  if (tag?.type !== 'tag') return null;
  const head = headOf(tag.content);
  const [, line = ''] = /^tagger (.*)$/m.exec(head.toString('latin1')) ?? [];
  const { who, seconds } = parseSignature(line);
  const text = decodeText(tag.content.subarray(head.length + 2));
  const begin = text.search(signatureBegin);
  return {
    tagger: decodeText(Buffer.from(who, 'latin1')),
    date: changesetDate(seconds),
    message: begin === -1 ? text : text.slice(0, begin),
    isSigned: begin !== -1,
  };
}

/** Describes branches and tags by the kept processes that read objects: no process is started for it. */
export async function describeGitRefs(
  reader: ObjectReader,
  path: string,
  refs: Parameters<VcsReads['describeRefs']>[1],
): Promise<DescribedRef[]> {
  return Promise.all(
    refs.map(async ({ kind, name, rawId }) => ({
      changeset: toChangeset(await readSmall(reader, path, rawId)),
      tag: kind === 'tag' ? toTag(await readSmall(reader, path, `refs/tags/${name}`)) : null,
    })),
  );
}
