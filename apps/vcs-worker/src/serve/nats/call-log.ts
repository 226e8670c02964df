import {
  type BusyError,
  decodeWorkerRequest,
  type ErrorCode,
  type Lane,
  type RpcError,
  served,
  type ServedName,
  splitSignature,
  toRpcError,
  type UnavailableError,
  type WorkerReply,
  type WorkerRequest,
} from '@trunkline/contracts';
import type { CallMetrics, Logger, Tracing } from '@trunkline/runtime';
import { Counter } from 'prom-client';
import type { LargeReply } from './reply-of.ts';

export interface EndedCall {
  readonly lane: Lane;
  readonly request: WorkerRequest;
  /**
   * Id of the repository that the call names or creates; null when there is none, or when the name was not looked up.
   */
  readonly repositoryId: number | null;
  /** Start of the call, by `performance.now()`. */
  readonly started: number;
  readonly error: RpcError | null;
}

export interface CallLog {
  /** Writes the one log line of a call and counts the call. */
  ended(call: EndedCall): void;
  /** Logs why a command was not run. The command need not come from a gateway of this instance. */
  refused(command: Uint8Array, error: UnavailableError | BusyError): void;
}

export function isServed(method: string): method is ServedName {
  return Object.hasOwn(served, method);
}

function idsOf({ requestId, correlationId, traceId }: WorkerRequest) {
  return { requestId, correlationId, traceId };
}

/** Returns the ids that a refused command claims to have; none when the command cannot be decoded. */
function claimedIds(command: Uint8Array) {
  try {
    return idsOf(decodeWorkerRequest(splitSignature(command).body));
  } catch {
    return {};
  }
}

export function createCallLog(metrics: CallMetrics, logger: Logger): CallLog {
  // The members of the line are fixed and not secret; redaction would cost a tenth of a call's time.
  const plain = logger.child({}, { redact: [] });
  const refusedCommands = new Counter({
    name: 'trunkline_commands_refused_total',
    help: 'Commands that were not run: forged, altered, outdated, sent before, or not readable',
    registers: [metrics.registry],
  });
  return {
    ended({ lane, request, repositoryId, started, error }) {
      const code: ErrorCode | 'ok' = error?.code ?? 'ok';
      const seconds = (performance.now() - started) / 1000;
      const method = isServed(request.method) ? request.method : 'unknown';
      metrics.observe({ method, lane, error, seconds });
      const ms = Math.round(seconds * 1e6) / 1e3;
      const line = { ...idsOf(request), method, lane, repositoryId, code, ms };
      if (error?.code === 'internal') logger.error({ ...line, err: error.cause }, 'call');
      else plain.info(error?.cause instanceof Error ? { ...line, reason: error.cause } : line, 'call');
    },
    refused(command, error) {
      refusedCommands.inc();
      logger.warn({ ...claimedIds(command), reason: error.cause }, 'command refused');
    },
  };
}

/** Records a call as a span below the request of its gateway, if that is traced. */
export async function traceCall<Reply extends WorkerReply | LargeReply>(
  tracing: Tracing | null,
  { method, requestId, storage, traceparent }: WorkerRequest,
  lane: Lane,
  makeReply: () => Promise<Reply>,
): Promise<Reply> {
  if (!tracing || traceparent === undefined) return makeReply();
  const span = tracing.begin({
    name: method,
    kind: 'server',
    parent: traceparent,
    attributes: {
      'rpc.method': method,
      'trunkline.lane': lane,
      'trunkline.storage': storage,
      'trunkline.request_id': requestId,
    },
  });
  try {
    const reply = await makeReply();
    span.recordOutcome('errorCode' in reply ? (reply.errorCode ?? 'ok') : 'ok');
    return reply;
  } catch (error) {
    span.recordOutcome(toRpcError(error).code);
    throw error;
  } finally {
    span.end();
  }
}
