import type { AnswerType, CachedAnswer } from '../../cache/vcs-answers/cached-answer.ts';
import type { AskedChangesets } from './asked-changesets.ts';
import { searchPack } from './search-pack.ts';

/** What a client asks for, as far as it decides on whether the answer brings changesets. */
export interface AskedContent {
  readonly request: 'git-refs' | 'git-fetch' | 'hg';
  /** Version of git's protocol. */
  readonly protocol: number;
  readonly command: string;
  /** The arguments of a command of Mercurial, which are read by the time of the answer. */
  readonly changesets: Pick<AskedChangesets, 'areAsked'>;
}

/** What is read of an answer before its pack, which common commits precede. */
const beginningBytesMax = 1024 * 1024;
const bundleCommands = ['getbundle', 'changegroup', 'changegroupsubset'];

/** Returns whether Mercurial answers with changesets. */
function isBundle(type: AnswerType, { command, changesets }: AskedContent): boolean {
  return bundleCommands.includes(command) && changesets.areAsked && type !== 'application/hg-error';
}

async function* untilPack(
  pieces: AsyncIterable<Uint8Array>,
  protocol: number,
  note: () => void,
): AsyncGenerator<Uint8Array> {
  const reachesPack = searchPack(protocol);
  let bytesLeft = beginningBytesMax;
  for await (const piece of pieces) {
    if (bytesLeft >= 0) {
      bytesLeft -= piece.length;
      if (reachesPack(piece)) {
        note();
        bytesLeft = -1;
      }
    }
    yield piece;
  }
}

/** Returns the same pieces of an answer; calls `note` once if it brings changesets. */
export function observePieces(
  type: AnswerType,
  pieces: AsyncIterable<Uint8Array>,
  asked: AskedContent,
  note: () => void,
): AsyncIterable<Uint8Array> {
  if (asked.request === 'hg' && isBundle(type, asked)) note();
  return asked.request === 'git-fetch' ? untilPack(pieces, asked.protocol, note) : pieces;
}

/** Returns an answer with the same bytes; calls `note` once if it brings changesets. */
export function observeAnswer(answer: CachedAnswer, asked: AskedContent, note: () => void): CachedAnswer {
  const { type, content } = answer;
  if (!(content instanceof Uint8Array)) return { ...answer, content: observePieces(type, content, asked, note) };
  const { request, protocol } = asked;
  if (request === 'hg' ? isBundle(type, asked) : request === 'git-fetch' && searchPack(protocol)(content)) note();
  return answer;
}
