import {
  BusyError,
  decodeWorkerRequest,
  encodeError,
  encodeResult,
  MethodNotFoundError,
  served,
  splitSignature,
  OutcomeUnknownError,
  RpcError,
  subjects,
  toRpcError,
  UnavailableError,
  workerQueueGroup,
  type ErrorCode,
  type Lane,
  type Method,
  type ServedName,
  type WorkerReply,
  type WorkerRequest,
} from '@trunkline/contracts';
import { databaseFailure } from '@trunkline/db';
import type { Bus, CallMetrics, Logger, Service, StreamReply } from '@trunkline/runtime';
import { invoke } from '../calls/invoke.ts';
import type { Call } from '../calls/invoke-operation.ts';
import { decodeCommand } from './decode-command.ts';
import type { LaneSlots } from '../admission/lane-slots.ts';
import { discard, replyOf } from './reply-of.ts';
import { detectPauses } from './pause-detector.ts';

export interface ResponderOptions {
  /** The id of this worker. */
  readonly worker: string;
  readonly bus: Bus;
  readonly environment: Call['environment'];
  readonly lanes: readonly { readonly lane: Lane; readonly slots: LaneSlots; readonly timeLimitMs: number }[];
  readonly metrics: CallMetrics;
  readonly logger: Logger;
}

function methodNamed(method: string): Method | undefined {
  return isMethod(method) ? served[method] : undefined;
}

function isMethod(method: string): method is ServedName {
  return Object.hasOwn(served, method);
}

/** The error of an interrupted call: a write may have been committed. */
function cutOff({ method, requestId }: WorkerRequest, cause?: unknown): RpcError {
  const changes = isMethod(method) && served[method].access !== 'read';
  return changes ? OutcomeUnknownError.of(requestId, cause) : new UnavailableError({ cause });
}

/** The client's error for a failure. */
function clientError(error: unknown, request: WorkerRequest): RpcError {
  if (error instanceof RpcError) return error;
  const failure = databaseFailure(error);
  if (!failure) return toRpcError(error);
  return failure === 'lost' ? cutOff(request, error) : new UnavailableError({ cause: error });
}

export interface Responder {
  /** The lanes whose commands or pings the bus does not deliver to this worker. */
  unsubscribedLanes(): Lane[];
  drain(): Promise<void>;
}

/** Serves every lane of this worker: admission, decoding, one log line and one measurement for each call. */
export function startResponder(options: ResponderOptions): Responder {
  const { bus, environment, metrics, logger } = options;
  const pauses = detectPauses();

  const record = (lane: Lane, request: WorkerRequest, started: number, error: RpcError | null) => {
    const code: ErrorCode | 'ok' = error?.code ?? 'ok';
    const seconds = (performance.now() - started) / 1000;
    const method = isMethod(request.method) ? request.method : 'unknown';
    metrics.observe({ method, lane, code, seconds });
    const line = { requestId: request.requestId, method, lane, code, ms: Math.round(seconds * 1e6) / 1e3 };
    if (error?.code === 'internal') logger.error({ ...line, err: error.cause }, 'call');
    else logger.info(error?.cause instanceof Error ? { ...line, reason: error.cause } : line, 'call');
  };

  const call = async (
    { lane, slots, timeLimitMs }: ResponderOptions['lanes'][number],
    payload: Uint8Array,
    signal: AbortSignal,
  ): Promise<WorkerReply | StreamReply> => {
    const slot = slots.tryTake();
    // Before the signature is verified: a worker without a slot has no time for that either.
    if (!slot) return encodeError(new BusyError());
    try {
      const request = decodeCommand(environment.tools.vault, methodNamed, payload);
      // The gateway answered the client when the time was up, and the client may have retried since.
      if (pauses.pausedLately() && Date.now() - request.sentAt > request.timeoutMs) {
        throw new UnavailableError({ cause: new Error('its time is up: it was sent while this worker stood still') });
      }
      const started = performance.now();
      try {
        if (!isMethod(request.method)) throw new MethodNotFoundError(`No such method: ${request.method}`);
        const deadline = started + Math.min(request.timeoutMs, timeLimitMs);
        const result = await invoke(environment, request.method, { request, slot, signal, deadline });
        // The requester was answered when the time was up.
        if (signal.aborted) discard(result);
        const reply = signal.aborted ? encodeError(cutOff(request)) : replyOf(result, slot);
        record(lane, request, started, null);
        return reply;
      } catch (thrown) {
        const error = clientError(thrown, request);
        record(lane, request, started, error);
        return encodeError(error);
      }
    } finally {
      slot.end();
    }
  };

  const refuse = (error: unknown): WorkerReply => {
    if (!(error instanceof UnavailableError)) throw error;
    logger.warn({ reason: error.cause }, 'command refused');
    return encodeError(error);
  };

  const serveLane = (one: ResponderOptions['lanes'][number]): Service[] => {
    const direct = one.lane === 'metadata' ? [subjects.directTo(options.worker)] : [];
    return [
      ...[subjects.rpcLane(one.lane), ...direct].map((subject) =>
        bus.serve(subject, {
          queue: workerQueueGroup,
          timeLimitMs: one.timeLimitMs,
          lateReply: (payload) => encodeError(cutOff(decodeWorkerRequest(splitSignature(payload).body))),
          handle: (payload, signal) => call(one, payload, signal).catch(refuse),
        }),
      ),
      // Without a group: where one worker stands still, the others answer.
      bus.serve(subjects.ping(one.lane), {
        timeLimitMs: 1_000,
        handle: async () => encodeResult(options.worker),
      }),
    ];
  };
  const servedLanes = options.lanes.map((one) => ({ lane: one.lane, services: serveLane(one) }));

  return {
    unsubscribedLanes: () =>
      servedLanes.flatMap(({ lane, services }) => (services.every(({ isSubscribed }) => isSubscribed) ? [] : [lane])),
    async drain() {
      await Promise.all(servedLanes.flatMap(({ services }) => services.map((service) => service.drain())));
    },
  };
}
