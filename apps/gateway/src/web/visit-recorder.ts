import { RpcError, type ErrorCode } from '@trunkline/contracts';
import type { CallMetrics, Logger } from '@trunkline/runtime';
import type { VisitIds } from './web-context.ts';

export interface RecordedVisit {
  readonly ids: VisitIds;
  readonly view: string;
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
  return ({ ids, view, started, ip, userId, error }, status) => {
    const ms = performance.now() - started;
    const known = error instanceof RpcError ? error : null;
    const code: ErrorCode | 'ok' = known?.code ?? 'ok';
    metrics.observe({ method: view, lane: 'none', error: known, seconds: ms / 1_000 });
    const line = { ...ids, view, userId, ip, status, code, ms: Math.round(ms * 1_000) / 1_000 };
    if (code === 'internal') logger.error({ ...line, err: error?.cause }, 'page');
    else logger.info(error?.cause instanceof Error ? { ...line, reason: error.cause } : line, 'page');
  };
}
