import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import { decodeError, type ErrorCode } from '@trunkline/contracts';
import { BusError, type Span, type Tracing } from '@trunkline/runtime';
import type { MiddlewareHandler } from 'hono';
import type { TraceRequest } from '../dispatch/dispatch.ts';
import type { WebEnvironment } from '../web/web-context.ts';

/** What becomes of the trace context of a client. */
export type ClientContext = 'ignore' | 'link' | 'parent';

/** What is known of a request once it has been handled. */
interface Handled {
  /** Template of the address: never the address, which may hold a key. Null for a page without one. */
  readonly route: string | null;
  /** What names the request beside its verb where there is no template. */
  readonly name?: string;
  readonly code: ErrorCode | 'ok';
  readonly attributes: Readonly<Record<string, string | undefined>>;
}

const verbs = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'CONNECT']);
const faultMin = 500;

function contextOf({ headers }: IncomingMessage, use: ClientContext) {
  const { traceparent } = headers;
  return use === 'ignore' || typeof traceparent !== 'string' ? {} : { [use]: traceparent };
}

/** The spans of requests: one of each HTTP request, and below it one of each request on the bus. */
export class RequestSpans {
  readonly #tracing: Tracing;
  readonly #use: ClientContext;
  readonly #current = new AsyncLocalStorage<{ readonly span: Span; readonly verb: string }>();

  constructor(tracing: Tracing, use: ClientContext) {
    this.#tracing = tracing;
    this.#use = use;
  }

  /** Records each request until it has been handled and its response is sent. */
  readonly middleware: MiddlewareHandler<WebEnvironment> = async (c, next) => {
    const { incoming, outgoing } = c.env;
    const { method = '' } = incoming;
    const verb = verbs.has(method) ? method : '_OTHER';
    const span = this.#tracing.begin({
      name: verb,
      kind: 'server',
      attributes: { 'http.request.method': verb, 'network.protocol.version': incoming.httpVersion },
      ...contextOf(incoming, this.#use),
    });
    const end = () => {
      const { statusCode } = outgoing;
      span.set({ 'http.response.status_code': statusCode });
      if (statusCode >= faultMin) span.fail(String(statusCode));
      span.end();
    };
    try {
      await this.#current.run({ span, verb }, next);
    } finally {
      if (outgoing.closed) end();
      else outgoing.once('close', end);
    }
  };

  /** Records what the present request was. */
  recordHandled({ route, name = '', code, attributes }: Handled): void {
    const current = this.#current.getStore();
    if (!current) return;
    const { span, verb } = current;
    span.rename(`${verb} ${route ?? name}`);
    span.set({ 'http.route': route ?? undefined, ...attributes });
    span.recordOutcome(code);
  }

  /** Records a request on the bus, if it belongs to an HTTP request. */
  readonly traceRequest: TraceRequest = async ({ method, lane, storage, requestId }, send) => {
    const current = this.#current.getStore();
    if (!current) return send(undefined);
    const span = this.#tracing.begin({
      name: `request ${lane}`,
      kind: 'client',
      parent: current.span.traceparent,
      attributes: {
        'messaging.system': 'nats',
        'messaging.operation.name': 'request',
        'rpc.method': method,
        'trunkline.lane': lane,
        'trunkline.storage': storage ?? undefined,
        'trunkline.request_id': requestId,
      },
    });
    try {
      const reply = await send(span.traceparent);
      span.recordOutcome(reply.isError ? decodeError(reply.payload).code : 'ok');
      return reply;
    } catch (error) {
      span.fail(error instanceof BusError ? error.reason : 'error');
      throw error;
    } finally {
      span.end();
    }
  };
}
