import { type ExportResult, ExportResultCode, parseTraceParent } from '@opentelemetry/core';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import {
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import type { ErrorCode } from '@trunkline/contracts';
import type { Logger } from '../logger.ts';
import { withTimeout } from '../concurrency/waits.ts';
import type { ProcessIdentity } from '../state/process-state.ts';
import type { Span, SpanStart, Tracing } from './span.ts';

/** Returns the code of an error, such as `ECONNREFUSED` or 503: its message may have the collector's URL or answer. */
function codeOf(error: Error | undefined): string | number {
  const code = error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? code : 'unknown';
}

/** Logs when the collector begins to take no spans, and when it takes them again; not each batch in between. */
export function reportingExporter(exporter: SpanExporter, logger: Pick<Logger, 'info' | 'warn'>): SpanExporter {
  let isFailing = false;
  const report = ({ code, error }: ExportResult) => {
    const failed = code !== ExportResultCode.SUCCESS;
    if (failed === isFailing) return;
    isFailing = failed;
    if (failed) logger.warn({ code: codeOf(error) }, 'traces are lost: the collector does not take them');
    else logger.info('the collector takes traces again');
  };
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        report(result);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    async forceFlush() {
      await exporter.forceFlush?.();
    },
  };
}

const stopMsMax = 2_000;
const spanLimits = { attributeCountLimit: 32, attributeValueLengthLimit: 256, linkCountLimit: 1, eventCountLimit: 1 };

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT };
const faults: ReadonlySet<ErrorCode | 'ok'> = new Set(['outcome_unknown', 'busy', 'unavailable', 'internal']);

function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

function remoteContext(traceparent: string | undefined): SpanContext | null {
  const found = traceparent === undefined ? null : parseTraceParent(traceparent);
  return found && { ...found, isRemote: true };
}

function wrap(span: OtelSpan): Span {
  const fail = (type: string) => {
    span.setAttribute('error.type', type);
    span.setStatus({ code: SpanStatusCode.ERROR });
  };
  return {
    traceparent: toTraceparent(span.spanContext()),
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes(attributes),
    recordOutcome(code) {
      if (faults.has(code)) fail(code);
      else if (code !== 'ok') span.setAttribute('error.type', code);
    },
    fail,
    end: () => span.end(),
  };
}

/** Identifies the process in traces; `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` take precedence. */
function resourceOf({ id, role, version }: ProcessIdentity) {
  const own = resourceFromAttributes({
    'service.name': `trunkline-${role}`,
    'service.version': version,
    'service.instance.id': id,
  });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}

/** Records spans, and exports them in the background: a queue that is full drops further ones. */
export function createOtelTracing(identity: ProcessIdentity, logger: Pick<Logger, 'info' | 'warn'>): Tracing {
  const exporter = reportingExporter(new OTLPTraceExporter(), logger);
  const provider = new BasicTracerProvider({
    resource: resourceOf(identity),
    spanLimits,
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('trunkline', identity.version);
  return {
    begin({ name, kind, attributes = {}, parent, link }: SpanStart): Span {
      const above = remoteContext(parent);
      const linked = remoteContext(link);
      const options = {
        kind: kinds[kind],
        attributes,
        ...(linked && { links: [{ context: linked }] }),
      };
      return wrap(tracer.startSpan(name, options, above ? trace.setSpanContext(ROOT_CONTEXT, above) : ROOT_CONTEXT));
    },
    async stop() {
      // Spans that the collector does not take in time are lost.
      await withTimeout(
        provider.shutdown().catch(() => {}),
        stopMsMax,
        () => {},
      );
    },
  };
}
