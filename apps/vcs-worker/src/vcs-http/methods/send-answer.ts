import { Content, type DataOffer } from '@trunkline/contracts';
import type { AnswerType, CachedAnswer } from '../../cache/vcs-answers/cached-answer.ts';
import type { ReadContext } from '../../methods/context.ts';
import { offerAnswer, type OfferContext, type Served } from './offer-answer.ts';
import { readBeginning } from './read-beginning.ts';
import type { RepositoryTools } from '../../worker-tools.ts';

/** An answer up to this size, given within this time, is part of the reply; all others come over the data port. */
const beginning = { bytesMax: 256 * 1024, msMax: 500 };

/** Reads the beginning of an answer; what follows a long one is computed in turns of the caller. */
export async function readAnswer(
  { type, pieces }: Served,
  { callerKey, streamTurns }: Pick<ReadContext, 'callerKey'> & Pick<RepositoryTools, 'streamTurns'>,
  signal: AbortSignal,
): Promise<Pick<CachedAnswer, 'type' | 'content'>> {
  const begun = await readBeginning(pieces, beginning);
  const content = begun instanceof Uint8Array ? begun : streamTurns.of(begun, { caller: callerKey, signal });
  return { type, content };
}

/** Answers in the reply or, when the answer is large or takes long, offers it over the data port. */
export function sendAnswer(
  { type, content, end }: CachedAnswer,
  context: OfferContext,
): Content<{ offer: DataOffer | null; type: AnswerType }> {
  if (content instanceof Uint8Array) return new Content({ offer: null, type }, content);
  try {
    const offer = offerAnswer(async () => ({ type, pieces: content }), context, end);
    return new Content({ offer, type }, new Uint8Array());
  } catch (error) {
    end();
    throw error;
  }
}
