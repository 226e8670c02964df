import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { toRpcError, type Correlation, type RpcError } from '@trunkline/contracts';
import type { Handler } from 'hono';
import type { Authenticate, Identity } from '../authn/authenticate.ts';
import { checkRequest, findKey, openEnvelope, readEnvelope, requireMethod } from './envelope.ts';
import { RateLimitedError } from '../authn/rate-limit.ts';
import { sourceOf } from '../http/network.ts';
import { laneOf, readWhole, workingMethod, type Dispatch } from '../dispatch/command.ts';
import type { TakeSlice } from '../http/body-slices.ts';
import { drainThenRespond } from '../http/drain-then-respond.ts';
import { clientGone } from '../http/client-gone.ts';
import { BodyTooLargeError, ClientGoneError } from '../http/read-body.ts';
import { readCorrelation } from '../http/read-correlation.ts';
import type { Origin } from '../http/forwarded.ts';
import type { ReceiveBody } from '../http/receive-body.ts';
import type { Call, RecordCall } from '../http/recorders.ts';
import { errorReply, resultReply, sendStream } from './reply.ts';

interface KeyCheck {
  /** Authenticates the key in the beginning of a body; returns its user's name in quotas, or null. */
  findUser(this: void, beginning: Buffer): Promise<string | null>;
  /** Authenticates the request's key, unless the beginning of the body has shown the same one. */
  authenticate(apiKey: string | null): Promise<Identity>;
}

/** Creates the check of one request's key: a key is authenticated, and charged to limits, once for a request. */
function createKeyCheck(authenticate: Authenticate, ip: string): KeyCheck {
  let early: { readonly key: string; readonly identity: Promise<Identity> } | null = null;
  return {
    async findUser(beginning) {
      const key = findKey(beginning);
      if (key === null) return null;
      const identity = authenticate(key, ip);
      early = { key, identity };
      return identity.then(
        ({ userId }) => `user ${userId}`,
        () => null,
      );
    },
    authenticate: (apiKey) => (early !== null && early.key === apiKey ? early.identity : authenticate(apiKey, ip)),
  };
}

export interface EndpointTools {
  readonly receiveBody: ReceiveBody;
  /** Waits for a slice to discard the rest of a body. */
  readonly takeSlice: TakeSlice;
  readonly clientAddress: (incoming: IncomingMessage) => string;
  readonly origin: Pick<Origin, 'baseUrl'>;
  readonly authenticate: Authenticate;
  readonly dispatch: Dispatch;
  readonly record: RecordCall;
}

function openCall(ip: string, correlation: Correlation): Call {
  return {
    requestId: randomUUID(),
    ...correlation,
    started: performance.now(),
    ip,
    rawId: 'null',
    sentMethod: null,
    method: null,
    lane: null,
    userId: null,
  };
}

/** Runs a call and returns its result as finished JSON, in one piece or as a stream; fills in the members of `call`. */
async function answerCall(call: Call, http: HttpBindings, tools: EndpointTools): ReturnType<Dispatch> {
  const { incoming } = http;
  const gone = clientGone(http);
  const keyCheck = createKeyCheck(tools.authenticate, call.ip);
  const { identity, sentMethod, args, echo } = await tools.receiveBody(
    incoming,
    { ip: call.ip, findUser: keyCheck.findUser },
    async (body) => {
      checkRequest(incoming, body);
      const { rawId, members } = openEnvelope(body);
      call.rawId = rawId;
      const request = readEnvelope(members);
      call.sentMethod = request.shownMethod;
      return { identity: await keyCheck.authenticate(request.apiKey), ...request.parse() };
    },
  );
  const { userId, apiKeyId } = identity;
  call.userId = userId;
  call.sentMethod = sentMethod;
  const called = requireMethod(sentMethod);
  call.method = called.name;
  const method = workingMethod(called, args);
  const lane = laneOf(method, args);
  call.lane = lane;
  const caller = { userId, ip: call.ip, credential: { kind: 'key', id: apiKeyId } } as const;
  const { requestId, correlationId, traceId } = call;
  const baseUrl = tools.origin.baseUrl(incoming);
  const command = { method, lane, args, caller, requestId, correlationId, traceId, baseUrl, clientGone: gone };
  const answer = await tools.dispatch(command);
  if (echo === null) return answer;
  await readWhole(answer);
  return echo;
}

function headersOf(call: Call): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': call.correlationId ?? call.requestId,
  };
}

/** Handles `POST /_admin/api` (spec 4.1): every response is an envelope with status 200, that of an error too. */
export function rpcEndpoint(tools: EndpointTools): Handler<{ Bindings: HttpBindings }> {
  return async (c) => {
    const { incoming, outgoing } = c.env;
    const call = openCall(tools.clientAddress(incoming), readCorrelation(incoming.headers));
    let error: RpcError | null = null;
    let reply: Buffer<ArrayBuffer>;
    try {
      const result = await answerCall(call, c.env, tools);
      if (!(result instanceof Uint8Array)) {
        const sent = await sendStream(outgoing, call.rawId, result, headersOf(call));
        tools.record(call, sent.error, sent.bytes);
        return RESPONSE_ALREADY_SENT;
      }
      reply = resultReply(call.rawId, result);
    } catch (thrown) {
      // Hono requires a response, although no client receives it.
      if (thrown instanceof ClientGoneError) return new Response(null, { status: 400 });
      error = toRpcError(thrown);
      reply = errorReply(call.rawId, error);
    }
    tools.record(call, error, reply.length);
    if (error instanceof BodyTooLargeError || !incoming.complete) {
      const headers = { ...headersOf(call), Connection: 'close', 'Content-Length': String(reply.length) };
      const draining = { source: sourceOf(call.ip), takeSlice: tools.takeSlice };
      return new Response(drainThenRespond(incoming, reply, draining), { headers });
    }
    const headers = headersOf(call);
    if (error instanceof RateLimitedError) headers['Retry-After'] = String(error.retryAfterSeconds);
    return new Response(reply, { headers });
  };
}
