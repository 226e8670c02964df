import {
  served,
  splitContentHead,
  UnavailableError,
  WireHead,
  type ArgsOfMethod,
  type Caller,
  type Correlation,
  type DataOffer,
  type Served,
  type WirePushRequest,
  type WireRequest,
} from '@trunkline/contracts';
import * as v from 'valibot';
import { readWhole, type Command, type Dispatch } from '../dispatch/command.ts';
import type { SentBody } from './sent-body.ts';

export interface Asked extends Correlation {
  readonly repoid: string | number | null;
  readonly caller: Caller;
  readonly requestId: string;
  readonly clientGone: AbortSignal;
}

export interface AskedWire extends Asked {
  readonly request: WireRequest;
  /** What the kind of the request needs beside its body: git's version, or the command of Mercurial. */
  readonly more: Pick<Partial<ArgsOfMethod<Served['wire_read']>>, 'protocol' | 'command' | 'caps'>;
  readonly body: SentBody | null;
}

export interface AskedPush extends Asked {
  readonly request: WirePushRequest;
  /** What Mercurial sends beside its bundle. */
  readonly more?: Omit<Partial<ArgsOfMethod<Served['wire_push']>>, 'repoid' | 'request'>;
}

/** What a worker answers: all of its answer, or an offer of the transfer in which it comes. */
export type WireAnswer = { readonly type: string | null } & (
  | { readonly offer: null; readonly bytes: Buffer }
  | { readonly offer: DataOffer }
);

async function ask(dispatch: Dispatch, command: Command): Promise<WireAnswer> {
  const reply = await dispatch(command);
  const bytes = await readWhole(reply).catch((cause: unknown) => {
    throw new UnavailableError({ cause });
  });
  const split = splitContentHead(bytes);
  const head = v.safeParse(WireHead, split?.head);
  if (!split || !head.success) throw new UnavailableError({ cause: new Error('an answer without a head') });
  const { offer, type } = head.output;
  return offer ? { offer, type } : { offer, type, bytes: Buffer.from(split.rest) };
}

/** Asks the worker that owns the repository's bytes. A body that is a stream goes over the transfer that it offers. */
export function askWorker(dispatch: Dispatch, asked: AskedWire): Promise<WireAnswer> {
  const { request, repoid, more, body, ...command } = asked;
  const method = served.wire_read;
  const sent = body instanceof Uint8Array ? { body: body.toString('base64') } : { streamed: body !== null };
  return ask(dispatch, { ...command, method, lane: method.lane, args: { repoid, request, ...more, ...sent } });
}

/** Asks the worker for what a push needs. The push itself goes over the transfer that the worker offers. */
export function askForPush(
  dispatch: Dispatch,
  { request, repoid, more = {}, ...command }: AskedPush,
): Promise<WireAnswer> {
  const method = served.wire_push;
  return ask(dispatch, { ...command, method, lane: method.lane, args: { repoid, request, ...more } });
}
