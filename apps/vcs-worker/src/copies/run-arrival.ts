import { RpcError, type CopyRequest } from '@trunkline/contracts';
import type { Logger } from '@trunkline/runtime';
import type { ServedStorage } from '../storage/storages.ts';
import {
  beginArrival,
  checkArrival,
  publishArrival,
  receiveArrival,
  type ArrivalTools,
  type Incoming,
} from './arrival-actions.ts';
import type { CopyMetrics } from './copy-metrics.ts';

export interface RunTools extends ArrivalTools {
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

async function act(
  tools: RunTools,
  served: ServedStorage,
  request: CopyRequest,
  incoming: Incoming,
): Promise<object | null> {
  const { action } = request;
  switch (action.kind) {
    case 'begin':
      return beginArrival(tools, served, { ...request, action });
    case 'send':
      return receiveArrival(served, { ...request, action }, incoming);
    case 'check':
      return checkArrival(tools, served, { ...request, action }, incoming.signal);
    case 'publish':
      return publishArrival(tools, served, { ...request, action }, incoming.signal);
  }
}

/** Runs one action of a copy, counts it and writes its one log line. */
export async function runArrival(
  tools: RunTools,
  metrics: CopyMetrics,
  served: ServedStorage,
  request: CopyRequest,
  incoming: Incoming,
): Promise<object | null> {
  const began = performance.now();
  const { operationId, attempt, action } = request;
  const about = { operationId, attempt, storage: served.storage.name, action: action.kind };
  const line = () => ({ ...about, ms: Math.round(performance.now() - began) });
  try {
    const result = await act(tools, served, request, incoming);
    metrics.ended(action.kind, 'done');
    tools.logger.info(line(), 'copy from another storage');
    return result;
  } catch (error) {
    metrics.ended(action.kind, 'failed');
    const reason = error instanceof RpcError ? (error.cause ?? error) : error;
    tools.logger.warn({ ...line(), err: reason }, 'copy from another storage failed');
    throw error;
  }
}
