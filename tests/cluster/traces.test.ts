import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openTracing } from '@trunkline/runtime';
import { afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient } from '../harness/client.ts';
import { startCluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { startTraceCollector, type CollectedSpan, type TraceCollector } from '../harness/trace-collector.ts';

const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const secretText = 'a-password-in-an-argument';

/** Returns whether so many requests of HTTP are there, with all spans below them. */
function areWhole(spans: readonly CollectedSpan[], requests: number): boolean {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const parents = new Set(spans.map(({ parentSpanId }) => parentSpanId));
  const hasParent = ({ parentSpanId }: CollectedSpan) => parentSpanId === undefined || ids.has(parentSpanId);
  const hasChild = ({ kind, spanId, status }: CollectedSpan) => kind !== 3 || status.code === 2 || parents.has(spanId);
  const tops = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
  return tops.length >= requests && spans.every((span) => hasParent(span) && hasChild(span));
}

describe('with a collector', () => {
  let collector: TraceCollector;
  let adminKey: string;
  let spans: readonly CollectedSpan[];

  beforeAll(async () => {
    collector = await startTraceCollector();
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    };
    const cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
    ({ adminKey } = cluster);
    const admin = createClient(cluster.baseUrl, adminKey);
    await admin.result('create_repo', { repo_name: 'private-name', repo_type: 'git' });
    await admin.result('create_user', { username: 'u', email: 'u@example.com', password: secretText });
    await admin.result('get_repo', { repoid: 'no-such-repository' });
    await admin.error('get_changeset', { repoid: 'no-such-repository', revision: 'tip' });
    const paths = [
      `/_admin/journal/rss?api_key=${adminKey}`,
      '/private-name/info/refs?service=git-upload-pack',
      '/healthz',
    ];
    for (const path of paths) await (await fetch(`${cluster.baseUrl}${path}`, { headers: { traceparent } })).text();
    spans = await eventually(
      async () => collector.spans,
      (found) => areWhole(found, 6),
    );
    await cluster.stop();
    await collector.close();
  });

  const ofMethod = (method: string) => {
    const all = spans.filter(({ attributes }) => attributes['rpc.method'] === method);
    const http = all.filter(({ attributes }) => attributes['http.route'] === '/_admin/api');
    return http.map((top) => {
      const request = all.find(({ parentSpanId }) => parentSpanId === top.spanId);
      return { top, request, worker: all.find(({ parentSpanId }) => parentSpanId === request?.spanId) };
    });
  };

  it('a call is a trace from the request over the bus to the method in the worker', () => {
    const [{ top, request, worker } = {}] = ofMethod('create_repo');
    expect(top).toMatchObject({ name: 'POST /_admin/api', kind: 2, status: {} });
    expect(top?.parentSpanId).toBeUndefined();
    expect(top?.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'trunkline.lane': 'storage',
      'trunkline.request_id': expect.any(String),
    });
    expect(top?.resource).toMatchObject({ 'service.name': 'trunkline-gateway', 'deployment.environment': 'test' });
    expect(request).toMatchObject({ name: 'request storage', kind: 3, traceId: top?.traceId });
    expect(request?.attributes).toMatchObject({ 'trunkline.storage': 'default', 'messaging.system': 'nats' });
    expect(worker).toMatchObject({ name: 'create_repo', kind: 2, traceId: top?.traceId });
    expect(worker?.resource).toMatchObject({ 'service.name': 'trunkline-vcs-worker' });
    expect(worker?.attributes['trunkline.request_id']).toBe(top?.attributes['trunkline.request_id']);
  });

  it('an error of the client has its code in the spans, which have not failed', () => {
    const { top, request, worker } = ofMethod('get_changeset')[0] ?? {};
    for (const span of [top, request, worker]) {
      expect([span?.attributes['error.type'], span?.status.code ?? 0]).toEqual(['not_found', 0]);
    }
  });

  it('pages and version control clients are named by their routes', () => {
    const names = spans.map(({ name }) => name);
    expect(names).toContain('GET /_admin/journal/rss');
    expect(names).toContain('GET /{repository}/info/refs');
    expect(names.filter((name) => name.includes('healthz'))).toEqual([]);
  });

  it('B14 traces have no key, password, address or name of a repository', () => {
    expect(collector.received).toContain('create_user');
    for (const text of [
      adminKey,
      secretText,
      'private-name',
      'no-such-repository',
      'api_key',
      '127.0.0.1/',
      'u@example',
    ]) {
      expect([text, collector.received.includes(text)]).toEqual([text, false]);
    }
  });

  it('the trace context of a client is ignored', () => {
    expect(spans.filter(({ traceId, links }) => traceparent.includes(traceId) || links.length > 0)).toEqual([]);
  });
});

describe('a stop', () => {
  let collector: TraceCollector | undefined;
  const before = { ...process.env };
  afterEach(async () => {
    for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_')) delete process.env[name];
    Object.assign(process.env, before);
    await collector?.close();
  });

  const identity = { id: 'x', role: 'gateway', version: '1' } as const;
  const logger = { info: () => {}, warn: () => {} };

  it('sends the spans that wait', async () => {
    collector = await startTraceCollector();
    Object.assign(process.env, {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own-path`,
      OTEL_BSP_SCHEDULE_DELAY: '600000',
    });
    const tracing = await openTracing({ isOn: true, identity, logger });
    tracing?.begin({ name: 'x', kind: 'server' }).end();
    await tracing?.stop();
    await eventually(
      async () => collector?.spans.length,
      (count) => count === 1,
    );
    expect(collector.received).toMatch(/^\/own-path /);
  });

  it('does not wait for a collector that does not answer, which gets no more than the queue holds', async () => {
    collector = await startTraceCollector({ hangs: true });
    Object.assign(process.env, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
      OTEL_BSP_EXPORT_TIMEOUT: '600000',
      OTEL_BSP_MAX_QUEUE_SIZE: '100',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10',
    });
    const tracing = await openTracing({ isOn: true, identity, logger });
    for (let at = 0; at < 5_000; at += 1) tracing?.begin({ name: 'x', kind: 'server' }).end();
    await eventually(
      async () => collector?.requests ?? 0,
      (count) => count > 0,
    );
    for (let at = 0; at < 5_000; at += 1) tracing?.begin({ name: 'x', kind: 'server' }).end();
    // The requests to the collector would take ten minutes.
    await tracing?.stop();
    expect(collector.spans.length).toBeLessThanOrEqual(250);
  });
});

describe('without a collector', () => {
  const distOf = (app: string) => fileURLToPath(new URL(`../../apps/${app}/dist/`, import.meta.url));

  /** Returns the files that a built file imports, at once or only when they are needed. */
  async function importedBy(dist: string, name: string) {
    const text = await readFile(join(dist, name), 'utf8');
    const namesIn = (pattern: RegExp) => [...text.matchAll(pattern)].flatMap(([, found]) => found ?? []);
    return {
      atOnce: namesIn(/^(?:import|export)\b[^;]*?"\.\/([^"]+)";$/gm),
      later: namesIn(/\bimport\("\.\/([^"]+)"\)/g),
    };
  }

  /** Returns some files with all that they import at once, and what these import later. */
  async function loadedBy(dist: string, names: readonly string[]) {
    const [files, later] = [new Set(names), new Set<string>()];
    // A set also goes through what is added meanwhile.
    for (const file of files) {
      const imported = await importedBy(dist, file);
      for (const name of imported.atOnce) files.add(name);
      for (const name of imported.later) later.add(name);
    }
    return { files: [...files], later: [...later] };
  }

  /** Returns the modules of the libraries for traces in some files. */
  async function librariesIn(dist: string, files: readonly string[]): Promise<string[]> {
    const maps = await Promise.all(files.map((file) => readFile(join(dist, `${file}.map`), 'utf8')));
    const modules = maps.flatMap((text) => (JSON.parse(text) as { sources: string[] }).sources);
    // The library of metrics has the interface of OpenTelemetry as a dependency of its own.
    return modules.filter((path) => path.includes('/@opentelemetry/') && !path.includes('/@opentelemetry/api/'));
  }

  it.each(['gateway', 'vcs-worker'])('a %s loads none of the libraries for traces', async (app) => {
    const dist = distOf(app);
    const { files, later } = await loadedBy(dist, ['main.js']);
    expect(await librariesIn(dist, files)).toEqual([]);
    expect((await librariesIn(dist, (await loadedBy(dist, later)).files)).length).toBeGreaterThan(10);
  });
});
