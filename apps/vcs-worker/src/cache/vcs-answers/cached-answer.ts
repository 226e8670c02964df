import type { HgMediaType } from '@trunkline/contracts';
import type * as v from 'valibot';

/** Media type of an answer; null where the request determines it. */
export type AnswerType = v.InferOutput<typeof HgMediaType> | null;

/** An answer whose beginning is there. */
interface BegunAnswer {
  readonly type: AnswerType;
  /** All of a small answer, or the pieces of a large one. */
  readonly content: Buffer | AsyncIterable<Uint8Array>;
  /** Returns whether an answer that has ended may be given again; not when its client was told of a failure. */
  readonly mayBeKept: () => boolean;
}

/** Begins to make an answer, which ends when the signal aborts. */
export type BeginAnswer = (signal: AbortSignal) => Promise<BegunAnswer>;

/** An answer for one reader, who has to read all of it or to `end` it. */
export interface CachedAnswer {
  readonly type: AnswerType;
  readonly content: Buffer | AsyncIterable<Uint8Array>;
  readonly end: () => void;
}

/** Begins an answer that no other request shares and no cache keeps. The signal ends the wait for its beginning. */
export async function beginAlone(
  begin: (signal: AbortSignal) => Promise<Pick<CachedAnswer, 'type' | 'content'>>,
  signal: AbortSignal,
): Promise<CachedAnswer> {
  const work = new AbortController();
  const stop = () => work.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const { type, content } = await begin(work.signal);
    return { type, content, end: () => work.abort() };
  } catch (error) {
    work.abort();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
