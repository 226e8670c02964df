import { RpcError, type Correlation, type ErrorCode, type Lane } from '@trunkline/contracts';
import type { CallMetrics, Logger } from '@trunkline/runtime';
import type { VisitIds } from '../web/web-context.ts';

const methodCharsMax = 64;

/** The data of a call that is logged; its key and its arguments never are. */
export interface Call extends Correlation {
  readonly requestId: string;
  readonly started: number;
  readonly ip: string;
  /** The request's id as the client wrote it: JSON; `null` until it is read. */
  rawId: string;
  /** The request's member `method` as the client sent it, of any type. */
  sentMethod: unknown;
  /** The name of the method found, which `sentMethod` may call by an alias; null until it is found. */
  method: string | null;
  lane: Lane | null;
  userId: number | null;
}

/** Records a call whose reply has `bytes` bytes; `error` is null when the reply has a result. */
export type RecordCall = (call: Call, error: RpcError | null, bytes: number) => void;

function shownMethod(sentMethod: unknown): string | null {
  return typeof sentMethod === 'string' ? sentMethod.slice(0, methodCharsMax) : null;
}

/** Writes one log line and records one measurement for each call. */
export function callRecorder(logger: Logger, metrics: CallMetrics): RecordCall {
  // The members of the line are fixed and not secret; redaction would cost a tenth of a call's time.
  const plain = logger.child({}, { redact: [] });
  return (call, error, bytes) => {
    const ms = performance.now() - call.started;
    const code: ErrorCode | 'ok' = error?.code ?? 'ok';
    metrics.observe({ method: call.method ?? 'unknown', lane: call.lane ?? 'none', error, seconds: ms / 1_000 });
    if (!logger.isLevelEnabled(code === 'internal' ? 'error' : 'info')) return;
    const line = {
      requestId: call.requestId,
      correlationId: call.correlationId,
      traceId: call.traceId,
      method: shownMethod(call.sentMethod),
      lane: call.lane,
      userId: call.userId,
      ip: call.ip,
      code,
      ms: Math.round(ms * 1_000) / 1_000,
      bytes,
    };
    if (code === 'internal') logger.error({ ...line, err: error?.cause }, 'call');
    else plain.info(error?.cause instanceof Error ? { ...line, reason: error.cause } : line, 'call');
  };
}

interface RecordedVisit {
  readonly ids: VisitIds;
  readonly pageName: string;
  /** When the request began, as a value of `performance.now()`. */
  readonly started: number;
  readonly ip: string;
  readonly userId: number | null;
  readonly error: Error | null;
}

export type RecordVisit = (visit: RecordedVisit, status: number) => void;

/**
 * Returns a function that records a page as one log line and one measurement, without its URL, which may contain a key.
 */
export function visitRecorder(logger: Logger, metrics: CallMetrics): RecordVisit {
  return ({ ids, pageName, started, ip, userId, error }, status) => {
    const ms = performance.now() - started;
    const known = error instanceof RpcError ? error : null;
    const code: ErrorCode | 'ok' = known?.code ?? 'ok';
    metrics.observe({ method: pageName, lane: 'none', error: known, seconds: ms / 1_000 });
    const line = { ...ids, view: pageName, userId, ip, status, code, ms: Math.round(ms * 1_000) / 1_000 };
    if (code === 'internal') logger.error({ ...line, err: error?.cause }, 'page');
    else logger.info(error?.cause instanceof Error ? { ...line, reason: error.cause } : line, 'page');
  };
}
