import {
  served,
  splitContentHead,
  UnavailableError,
  vcsBodyBytesMax,
  VcsAnswerHead,
  type ArgsOfMethod,
  type Caller,
  type Correlation,
  type DataOffer,
  type Served,
  type VcsPushRequest,
  type VcsReadRequest,
} from '@trunkline/contracts';
import * as v from 'valibot';
import type { BodyAccount } from '../http/body-budget.ts';
import { readWhole, type Command, type Dispatch } from '../dispatch/command.ts';

/** The body of a request: whole, if it is short enough to be part of a command, or as a stream. */
type SentBody = Buffer | AsyncIterable<Uint8Array>;

async function* resumed(read: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* read;
  for (;;) {
    const piece = await rest.next();
    if (piece.done === true) return;
    yield piece.value;
  }
}

/** Reads the beginning of a body; the account pays for its bytes. */
export async function readSentBody(body: AsyncIterable<Uint8Array>, account: BodyAccount): Promise<SentBody> {
  const pieces = body[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const piece = await pieces.next();
    if (piece.done === true) return Buffer.concat(read, bytes);
    read.push(piece.value);
    bytes += piece.value.length;
    if (bytes > vcsBodyBytesMax) return resumed(read, pieces);
    account.grow(bytes);
  }
}

export interface Asked extends Correlation {
  readonly repoid: string | number | null;
  readonly caller: Caller;
  readonly requestId: string;
  readonly clientGone: AbortSignal;
}

interface AskedRead extends Asked {
  readonly request: VcsReadRequest;
  /** What the kind of the request needs beside its body: git's version, or the command of Mercurial. */
  readonly more: Pick<Partial<ArgsOfMethod<Served['wire_read']>>, 'protocol' | 'command' | 'caps'>;
  readonly body: SentBody | null;
}

interface AskedPush extends Asked {
  readonly request: VcsPushRequest;
  /** What Mercurial sends beside its bundle. */
  readonly more?: Omit<Partial<ArgsOfMethod<Served['wire_push']>>, 'repoid' | 'request'>;
}

/** What a worker answers: all of its answer, or an offer of the transfer in which it comes. */
export type VcsAnswer = { readonly type: string | null } & (
  | { readonly offer: null; readonly bytes: Buffer }
  | { readonly offer: DataOffer }
);

async function ask(dispatch: Dispatch, command: Command): Promise<VcsAnswer> {
  const reply = await dispatch(command);
  const bytes = await readWhole(reply).catch((cause: unknown) => {
    throw new UnavailableError({ cause });
  });
  const split = splitContentHead(bytes);
  const head = v.safeParse(VcsAnswerHead, split?.head);
  if (!split || !head.success) throw new UnavailableError({ cause: new Error('an answer without a head') });
  const { offer, type } = head.output;
  return offer ? { offer, type } : { offer, type, bytes: Buffer.from(split.rest) };
}

/** Asks the worker that owns the repository's bytes. A body that is a stream goes over the transfer that it offers. */
export function askWorker(dispatch: Dispatch, asked: AskedRead): Promise<VcsAnswer> {
  const { request, repoid, more, body, ...command } = asked;
  const method = served.wire_read;
  const sent = body instanceof Uint8Array ? { body: body.toString('base64') } : { streamed: body !== null };
  return ask(dispatch, { ...command, method, lane: method.lane, args: { repoid, request, ...more, ...sent } });
}

/** Asks the worker for what a push needs. The push itself goes over the transfer that the worker offers. */
export function askForPush(
  dispatch: Dispatch,
  { request, repoid, more = {}, ...command }: AskedPush,
): Promise<VcsAnswer> {
  const method = served.wire_push;
  return ask(dispatch, { ...command, method, lane: method.lane, args: { repoid, request, ...more } });
}
