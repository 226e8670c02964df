import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span as OtelSpan,
  type SpanContext,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { ErrorCode } from '@trunkline/contracts';
import { withTimeout } from '../concurrency/with-timeout.ts';
import type { Logger } from '../logger.ts';
import type { ProcessIdentity } from '../state/process-state.ts';
import { reportingExporter } from './reporting-exporter.ts';
import type { Span, SpanStart, Tracing } from './span.ts';

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
    note: (attributes) => void span.setAttributes(attributes),
    noteOutcome(code) {
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
      // What the collector does not take in time is lost.
      await withTimeout(
        provider.shutdown().catch(() => {}),
        stopMsMax,
        () => {},
      );
    },
  };
}
