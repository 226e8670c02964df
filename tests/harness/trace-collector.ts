import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import * as v from 'valibot';

const Value = v.object({ stringValue: v.optional(v.string()), intValue: v.optional(v.number()) });
const Attributes = v.pipe(
  v.array(v.object({ key: v.string(), value: Value })),
  v.transform((all): Record<string, unknown> =>
    Object.fromEntries(all.map(({ key, value }) => [key, value.stringValue ?? value.intValue])),
  ),
);
const Span = v.object({
  traceId: v.string(),
  spanId: v.string(),
  parentSpanId: v.optional(v.string()),
  name: v.string(),
  /** 2 is a server, 3 a client. */
  kind: v.number(),
  attributes: Attributes,
  links: v.optional(v.array(v.object({ traceId: v.string(), spanId: v.string() })), []),
  status: v.object({ code: v.optional(v.number()) }),
});
const Batch = v.object({
  resourceSpans: v.array(
    v.object({
      resource: v.object({ attributes: Attributes }),
      scopeSpans: v.array(v.object({ spans: v.array(Span) })),
    }),
  ),
});

export interface CollectedSpan extends v.InferOutput<typeof Span> {
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface TraceCollector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Everything that was received: addresses, headers and bodies. */
  readonly received: string;
  /** Requests that have arrived, answered or not. */
  readonly requests: number;
  close(): Promise<void>;
}

/** Starts a server that receives traces (OTLP over HTTP, JSON); one that `hangs` never answers. */
export async function startTraceCollector({ hangs = false } = {}): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  let received = '';
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    void text(request).then((body) => {
      received += `${request.url} ${request.rawHeaders.join(' ')} ${body}\n`;
      for (const { resource, scopeSpans } of v.parse(Batch, JSON.parse(body)).resourceSpans) {
        const own = scopeSpans.flatMap((one) => one.spans);
        spans.push(...own.map((span) => ({ ...span, resource: resource.attributes })));
      }
      if (!hangs) response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    spans,
    get received() {
      return received;
    },
    get requests() {
      return requests;
    },
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
