import { EventEmitter } from 'node:events';
import type { HttpBindings } from '@hono/node-server';
import type { Span, SpanStart, Tracing } from '@trunkline/runtime';
import { Hono } from 'hono';
import { beforeEach, describe, expect, it } from 'vitest';
import { RequestSpans, type ClientContext } from './request-spans.ts';

const traceparent = '00-11111111111111111111111111111111-2222222222222222-01';

interface Recorded extends SpanStart {
  readonly events: string[];
}

let recorded: Recorded[];
let tracing: Tracing;
beforeEach(() => {
  recorded = [];
  tracing = {
    begin(start): Span {
      const events: string[] = [];
      recorded.push({ ...start, events });
      return {
        traceparent: `span ${recorded.length}`,
        rename: (name) => void events.push(name),
        set: () => {},
        recordOutcome: (code) => void events.push(code),
        fail: (type) => void events.push(`failed ${type}`),
        end: () => void events.push('end'),
      };
    },
    stop: async () => {},
  };
});

/** Sends a request, whose response is sent when `sent` is called. */
async function send(spans: RequestSpans, handle: () => Promise<void>, headers = {}) {
  const outgoing = Object.assign(new EventEmitter(), { statusCode: 200, closed: false });
  const env = { incoming: { method: 'PURGE', httpVersion: '1.1', headers }, outgoing } as unknown as HttpBindings;
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use(spans.middleware);
  app.all('*', async (c) => {
    await handle();
    return c.text('x');
  });
  await app.fetch(new Request('http://127.0.0.1/?api_key=x'), env);
  return (status: number) => {
    outgoing.statusCode = status;
    outgoing.emit('close');
  };
}

describe('the span of an HTTP request', () => {
  it('ends when the request has been handled and its response was sent', async () => {
    const spans = new RequestSpans(tracing, 'ignore');
    const sent = await send(spans, async () => {
      await Promise.resolve();
      spans.recordHandled({ route: '/x', code: 'not_found', attributes: {} });
    });
    expect(recorded[0]?.events).toEqual(['_OTHER /x', 'not_found']);
    sent(503);
    expect(recorded[0]?.events.slice(2)).toEqual(['failed 503', 'end']);
    expect(JSON.stringify(recorded)).not.toContain('api_key');
  });

  it.each<[ClientContext, object]>([
    ['ignore', { parent: undefined, link: undefined }],
    ['link', { parent: undefined, link: traceparent }],
    ['parent', { parent: traceparent, link: undefined }],
  ])('has the trace context of the client as configured: %s', async (use, expected) => {
    await send(new RequestSpans(tracing, use), async () => {}, { traceparent });
    const [{ parent, link } = {}] = recorded;
    expect({ parent, link }).toEqual(expected);
  });
});

describe('the span of a request on the bus', () => {
  const request = { method: 'get_ip', lane: 'metadata', storage: null, requestId: 'x' } as const;

  it('is below that of the HTTP request, also when it fails', async () => {
    const spans = new RequestSpans(tracing, 'ignore');
    await send(spans, async () => {
      const failing = spans.traceRequest(request, async (sentContext) => {
        expect(sentContext).toBe('span 2');
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
    });
    expect(recorded[1]).toMatchObject({ name: 'request metadata', parent: 'span 1', events: ['failed error', 'end'] });
  });

  it('is not recorded without an HTTP request', async () => {
    const reply = { payload: new Uint8Array(), isError: false } as const;
    const spans = new RequestSpans(tracing, 'ignore');
    expect(await spans.traceRequest(request, async (context) => ({ ...reply, context }))).toMatchObject({
      context: undefined,
    });
    expect(recorded).toEqual([]);
  });
});
