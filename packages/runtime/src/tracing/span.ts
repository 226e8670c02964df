import type { ErrorCode } from '@trunkline/contracts';

export type SpanAttributes = Readonly<Record<string, string | number | undefined>>;

export interface SpanStart {
  readonly name: string;
  readonly kind: 'server' | 'client';
  readonly attributes?: SpanAttributes;
  /** Trace context (`traceparent`) of the parent; a span without one, or with a malformed one, begins a trace. */
  readonly parent?: string | undefined;
  /** Trace context of a span that this one is linked with; a malformed one is left out. */
  readonly link?: string | undefined;
}

/** A part of a trace that this process records, or that its sampler has left out. */
export interface Span {
  /** Trace context for further spans below this one. */
  readonly traceparent: string;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Records how a call has ended; errors that are no fault of the client's mark the span as failed. */
  recordOutcome(code: ErrorCode | 'ok'): void;
  /** Marks the span as failed; `type` is the class or code of the error, never its message. */
  fail(type: string): void;
  end(): void;
}

export interface Tracing {
  begin(start: SpanStart): Span;
  /** Sends what is recorded, for two seconds at most. */
  stop(): Promise<void>;
}
