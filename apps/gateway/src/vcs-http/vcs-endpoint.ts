import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import {
  AuthenticationError,
  hgPushArgsBytesMax,
  hgPushCommands,
  hgReadCommands,
  InvalidRequestError,
  served,
  toRpcError,
  type Caller,
  type RpcError,
  type VcsPushRequest,
  type VcsReadRequest,
} from '@trunkline/contracts';
import type { DataClient } from '@trunkline/runtime';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { MiddlewareHandler } from 'hono';
import type { RequireAddressRate } from '../authn/rate-limit.ts';
import { parseBasic, type BasicLogin } from '../authn/basic-login.ts';
import { sourceOf } from '../http/network.ts';
import { callerKey, type Dispatch } from '../dispatch/command.ts';
import type { BodyBudget } from '../http/body-budget.ts';
import type { TakeSlice } from '../http/body-slices.ts';
import { clientGone } from '../http/client-gone.ts';
import { ClientGoneError } from '../http/read-body.ts';
import { readCorrelation } from '../http/read-correlation.ts';
import type { Call, RecordCall } from '../http/recorders.ts';
import { askForPush, askWorker, readSentBody, type Asked, type VcsAnswer } from './ask-worker.ts';
import { gitProtocol, largePushAnswer } from './git-request.ts';
import { hgCaps, hgPushArgs, mayPushUnrepeatably, openHgArgs } from './hg-request.ts';
import { lfsRefusal, refusalOf, unknownCommand, unknownService, type Refusal } from './refusal.ts';
import { announcedTooLarge, discardPush, openPush } from './open-push.ts';
import { openBody, type OpenBody } from './request-body.ts';
import { relay, sendSmall, transferTime, type Transfer } from './send-answer.ts';
import {
  answerTypes,
  isOfHg,
  isPush,
  needsLogin,
  parseVcsAddress,
  requestTypes,
  type VcsAddress,
  type VcsRequestKind,
} from './vcs-address.ts';
import { pageOfMissing } from '../web/repository/repository-route.ts';
import type { WebEnvironment } from '../web/web-context.ts';

export interface VcsTools {
  readonly login: BasicLogin;
  /** Reads the id of the user `default`; null unless anonymous viewing is on. */
  readonly readDefaultUserId: (() => Promise<number>) | null;
  readonly requireAddressRate: RequireAddressRate;
  readonly clientAddress: (incoming: IncomingMessage) => string;
  readonly dispatch: Dispatch;
  readonly dataClient: Pick<DataClient, 'transfer'>;
  readonly record: RecordCall;
  readonly siteName: string;
  /** Bounds the memory of the beginnings of bodies. */
  readonly budget: Pick<BodyBudget, 'open'>;
  /** Waits for a slice to discard the rest of a body. */
  readonly takeSlice: TakeSlice;
  /** Maximum bytes of one push. */
  readonly pushBytesMax: number;
  /** Time in which a clone is sent and a push is received. */
  readonly transferMsMax: number;
}

/** A request whose answer is sent. */
interface Serving {
  readonly http: HttpBindings;
  readonly call: Call;
  readonly address: VcsAddress;
  readonly headers: Readonly<Record<string, string>>;
  readonly gone: AbortSignal;
}

/** Answers one request of a git or Mercurial client. */
type AnswerVcsRequest = (address: VcsAddress, http: HttpBindings) => Promise<void>;

/**
 * Characters of a reason, which Mercurial shows: it shows no body. One has nine bytes at most there, and proxies have 4 KB
 * for status line and headers. The longest text about one repository is whole.
 */
const reasonCharsMax = 300;

/** As `git http-backend` has them, so that no cache keeps an answer; the last one is for nginx, which buffers others. */
const answerHeaders = {
  Expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  Pragma: 'no-cache',
  'Cache-Control': 'no-cache, max-age=0, must-revalidate',
  'X-Content-Type-Options': 'nosniff',
  'X-Accel-Buffering': 'no',
};

function openCall(ip: string, incoming: IncomingMessage, kind: VcsRequestKind): Call {
  const { name: method, lane } = isPush(kind) ? served.wire_push : served.wire_read;
  const ids = { requestId: randomUUID(), ...readCorrelation(incoming.headers) };
  return { ...ids, started: performance.now(), ip, rawId: 'null', sentMethod: kind, method, lane, userId: null };
}

/** Opens what a request sends beside its address; null for one that needs nothing else. */
function openSent(incoming: IncomingMessage, kind: VcsRequestKind): OpenBody | null {
  if (kind === 'hg') return openHgArgs(incoming);
  return kind === 'git-fetch' ? openBody(incoming) : null;
}

/** Returns what a Mercurial client that pushes sends beside its bundle. */
function pushedBeside(incoming: IncomingMessage, { command: sent }: VcsAddress) {
  const command = hgPushCommands.find((known) => known === sent) ?? 'unbundle';
  return { command, caps: hgCaps(incoming.headers), ...hgPushArgs(incoming) };
}

function signInFirst(): AuthenticationError {
  return new AuthenticationError('Sign in first');
}

function createVcsEndpoint(tools: VcsTools): AnswerVcsRequest {
  const { budget, takeSlice, siteName: realm } = tools;

  /** Returns the caller, anonymous where such may be served. */
  const callerOf = async (incoming: IncomingMessage, { kind }: VcsAddress, ip: string): Promise<Caller> => {
    const credentials = parseBasic(incoming.headers.authorization);
    if (credentials) return tools.login(credentials, ip);
    if (!tools.readDefaultUserId || needsLogin(kind)) throw signInFirst();
    tools.requireAddressRate(ip);
    return { userId: await tools.readDefaultUserId(), ip, credential: { kind: 'anonymous' } };
  };

  /** Sends what a worker has answered, or the transfer that it offers; returns what `serve` returns. */
  const deliver = async (answer: VcsAnswer, serving: Serving, caller: Caller, stream: Transfer['body'] = null) => {
    const { http, call, address, gone } = serving;
    const type = answer.type ?? answerTypes[address.kind] ?? '';
    const headers = { ...answerHeaders, ...serving.headers, 'Content-Type': type };
    if (answer.offer) {
      const totalMs = transferTime(tools.transferMsMax, { isPush: isPush(address.kind) });
      const ids = { requestId: call.requestId, caller: callerKey(caller) };
      const transfer = { offer: answer.offer, ...ids, body: stream, totalMs, clientGone: gone };
      return relay(tools.dataClient, http, transfer, headers);
    }
    const { bytes } = answer;
    await sendSmall(http, { status: 200, headers, bytes }, { source: sourceOf(call.ip), takeSlice });
    return { bytes: bytes.length, error: null };
  };

  const servePush = async (serving: Serving, request: VcsPushRequest, asked: Asked) => {
    if (request === 'git-push-refs') {
      return deliver(await askForPush(tools.dispatch, { request, ...asked }), serving, asked.caller);
    }
    const { incoming } = serving.http;
    const isOfGit = request === 'git-push';
    const more = isOfGit ? { argsBytes: 0 } : pushedBeside(incoming, serving.address);
    const limits = { bytesMax: tools.pushBytesMax, argsBytes: more.argsBytes, msMax: tools.transferMsMax };
    const error = announcedTooLarge(incoming, limits);
    if (error && isOfGit) {
      const bytes = await largePushAnswer(incoming, error);
      return { ...(await deliver({ type: null, offer: null, bytes }, serving, asked.caller)), error };
    }
    if (error) throw error;
    const push = openPush(incoming, { ...limits, readsEarly: isOfGit });
    try {
      // Before a byte of the body is read: most refusals are known by then.
      const answer = await askForPush(tools.dispatch, { request, more, ...asked });
      return await deliver(answer, serving, asked.caller, push.read());
    } finally {
      push.end();
    }
  };

  const serveRead = async (serving: Serving, request: VcsReadRequest, asked: Asked) => {
    const { incoming } = serving.http;
    const command = hgReadCommands.find((known) => known === serving.address.command);
    const more = command
      ? { command, caps: hgCaps(incoming.headers) }
      : { protocol: gitProtocol(incoming.headers['git-protocol']) };
    const isAnonymous = asked.caller.credential.kind === 'anonymous';
    const account = budget.open(sourceOf(asked.caller.ip));
    if (!isAnonymous) account.assignTo(callerKey(asked.caller));
    const opened = openSent(incoming, request);
    try {
      const body = opened && (await readSentBody(opened.pieces, account));
      if (isAnonymous && command && Buffer.isBuffer(body) && mayPushUnrepeatably(incoming, command, body)) {
        throw signInFirst();
      }
      const answer = await askWorker(tools.dispatch, { request, more, body, ...asked });
      return await deliver(answer, serving, asked.caller, body instanceof Uint8Array ? null : body);
    } finally {
      opened?.end();
      account.close();
    }
  };

  /** Serves a request that a worker answers; returns the number of bytes, and the error of an answer that was cut off. */
  const serve = async (call: Call, http: HttpBindings, address: VcsAddress, headers: Record<string, string>) => {
    const { incoming } = http;
    const { kind, repoid } = address;
    if (kind === 'unknown-service') return unknownService;
    if (kind === 'unknown-command') return unknownCommand;
    const gone = clientGone(http);
    const caller = await callerOf(incoming, address, call.ip);
    call.userId = caller.userId;
    if (kind === 'git-lfs') return lfsRefusal;
    const type = requestTypes[kind];
    if (type !== undefined && incoming.headers['content-type'] !== type) {
      throw new InvalidRequestError(`Content-Type must be ${type}`);
    }
    const { requestId, correlationId, traceId } = call;
    const asked = { repoid, caller, requestId, correlationId, traceId, clientGone: gone };
    const serving = { http, call, address, headers, gone };
    return isPush(kind) ? servePush(serving, kind, asked) : serveRead(serving, kind, asked);
  };

  const discard = (http: HttpBindings, ip: string) => {
    const limits = { bytesMax: tools.pushBytesMax, argsBytes: hgPushArgsBytesMax, msMax: tools.transferMsMax };
    const slice = { source: sourceOf(ip), timeoutMs: tools.transferMsMax, signal: clientGone(http) };
    return discardPush(http.incoming, limits, () => takeSlice(slice));
  };

  const refuse = async (
    call: Call,
    http: HttpBindings,
    { kind, refusal }: { kind: VcsRequestKind; refusal: Refusal },
    headers: Record<string, string>,
  ) => {
    const { status, text } = refusal;
    const bytes = Buffer.from(`${text}\n`);
    const all = { ...answerHeaders, ...headers, ...refusal.headers };
    const answer = { status, headers: all, bytes, ...(isOfHg(kind) && { reason: text.slice(0, reasonCharsMax) }) };
    await sendSmall(http, answer, { source: sourceOf(call.ip), takeSlice });
    return bytes.length;
  };

  return async (address, http) => {
    const { incoming } = http;
    const call = openCall(tools.clientAddress(incoming), incoming, address.kind);
    const headers = { 'X-Request-Id': call.correlationId ?? call.requestId };
    let error: RpcError | null = null;
    let bytes = 0;
    try {
      const served = await serve(call, http, address, headers);
      if ('status' in served) bytes = await refuse(call, http, { kind: address.kind, refusal: served }, headers);
      else ({ bytes, error } = served);
    } catch (thrown) {
      if (thrown instanceof ClientGoneError) return;
      error = toRpcError(thrown);
      // What is wrong with a body itself is found while it is read.
      if (address.kind === 'hg-push' && !(error instanceof InvalidRequestError)) await discard(http, call.ip);
      const isAnonymous = parseBasic(incoming.headers.authorization) === null;
      const refusal = refusalOf(error, { realm, ip: call.ip, isAnonymous });
      bytes = await refuse(call, http, { kind: address.kind, refusal }, headers);
    }
    tools.record(call, error, bytes);
  };
}

/** Answers the requests of git and Mercurial clients; all others are left to the pages. */
export function vcsMiddleware(tools: VcsTools): MiddlewareHandler<WebEnvironment> {
  const answer = createVcsEndpoint(tools);
  return async (c, next) => {
    const address = parseVcsAddress(c.env.incoming, (segments) => pageOfMissing(segments) !== null);
    if (!address) return next();
    await answer(address, c.env);
    return RESPONSE_ALREADY_SENT;
  };
}
