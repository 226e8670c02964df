import { setMaxListeners } from 'node:events';
import {
  BusyError,
  encodeError,
  endsWithClient,
  MethodNotFoundError,
  served,
  OutcomeUnknownError,
  RpcError,
  toRpcError,
  UnavailableError,
  type Lane,
  type Method,
  type WorkerReply,
  type WorkerRequest,
} from '@trunkline/contracts';
import { databaseFailure } from '@trunkline/db';
import type { Bus, CallMetrics, Logger, RunningCalls, Tracing } from '@trunkline/runtime';
import type { LaneSlots, Slot } from '../admission/lane-slots.ts';
import type { Call } from '../calls/call.ts';
import { invoke } from '../calls/invoke.ts';
import { isReplyCached, joinsCachedReplies } from '../../cache/reply-cache.ts';
import { LongList } from '../../methods/read-list.ts';
import { commandCaller } from '../../vcs/process/call-scope.ts';
import { createCallLog, isServed, traceCall } from './call-log.ts';
import { decodeCommand, detectPauses } from './decode-command.ts';
import { createDeliver } from './deliver.ts';
import { createStreamList, discard, type LargeReply, replyOf } from './reply-of.ts';
import type { OverdueCalls, Tracking } from './overdue-calls.ts';
import type { RunningReads } from './running-reads.ts';

/** A lane that this worker serves. */
export interface ServedLane {
  readonly lane: Lane;
  readonly slots: LaneSlots;
  readonly timeLimitMs: number;
  /** Time for what goes on after the answer of a call and keeps its slot; each piece of a stream has `pieceMsMax`. */
  readonly keptMsMax: number;
}

export interface CommandTools {
  readonly bus: Pick<Bus, 'payloadBytesMax'>;
  readonly environment: Call['environment'];
  readonly metrics: CallMetrics;
  readonly logger: Logger;
  /** Gets the calls that run. */
  readonly calls: RunningCalls;
  /** Records calls; null without tracing. */
  readonly tracing: Tracing | null;
}

/** Time for a piece of a stream: clients that take none for a minute are cut off, and tools have less. */
const pieceMsMax = 120_000;

function methodNamed(method: string): Method | undefined {
  return isServed(method) ? served[method] : undefined;
}

/**
 * Returns the error of an interrupted call: the outcome of a method that writes is unknown, other calls can be retried.
 */
export function cutOff({ method, requestId }: Pick<WorkerRequest, 'method' | 'requestId'>, cause?: unknown): RpcError {
  const changes = isServed(method) && served[method].access !== 'read';
  return changes ? OutcomeUnknownError.of(requestId, cause) : new UnavailableError({ cause });
}

/** Returns the error of a call for whose answer there is no space. */
export function noSpace(request: Pick<WorkerRequest, 'method' | 'requestId'>): RpcError {
  const error = cutOff(request);
  // A write has run, and must not be sent again.
  return error instanceof OutcomeUnknownError ? error : new BusyError({ quota: 'answers' });
}

/** Converts a failure to the client's error. */
function clientError(error: unknown, request: WorkerRequest): RpcError {
  if (error instanceof RpcError) return error;
  const failure = databaseFailure(error);
  if (!failure) return toRpcError(error);
  return failure === 'lost' ? cutOff(request, error) : new UnavailableError({ cause: error });
}

/** Returns whether the reply to a call may be a cached one, which takes neither a slot nor a process. */
function mayBeCached({ method }: WorkerRequest): boolean {
  return isServed(method) && (isReplyCached(method) || joinsCachedReplies(method));
}

/** Returns a slot for a call; one that waits only when it is needed if the call's reply may be cached. */
async function slotFor(slots: LaneSlots, request: WorkerRequest): Promise<Slot> {
  const { callerKey } = request;
  return slots.tryTake(callerKey) ?? (mayBeCached(request) ? slots.takeLater(callerKey) : slots.take(callerKey));
}

/** The end of a call before its answer: its signal fires when the time of its lane is up, or the client has gone. */
interface EarlyEnd {
  readonly signal: AbortSignal;
  readonly abort: (reason: Error) => void;
}

/** A command that holds a slot of its lane. */
interface Admitted extends Pick<ServedLane, 'lane' | 'timeLimitMs'> {
  readonly request: WorkerRequest;
  readonly slot: Slot;
  readonly tracking: Tracking;
  readonly early: EarlyEnd;
}

/** Returns a function that runs the command of a request: admission, decoding, one log line and one measurement. */
export function commandRunner(
  { bus, environment, metrics, logger, calls, tracing }: CommandTools,
  reads: RunningReads,
  overdueOf: (lane: Lane) => OverdueCalls,
) {
  const log = createCallLog(metrics, logger);
  const pauses = detectPauses();
  const streamList = createStreamList();
  const deliver = createDeliver({ bus, dataPort: environment.dataPort });

  /** Runs a command that holds a slot. */
  const runAdmitted = async ({ request, lane, slot, tracking, timeLimitMs, early }: Admitted) => {
    const { signal } = early;
    const started = performance.now();
    const deadline = started + Math.min(request.timeoutMs, timeLimitMs);
    let repositoryId: number | null = null;
    const noteRepository = (id: number) => (repositoryId = id);
    const named = methodNamed(request.method);
    const isRead = named !== undefined && endsWithClient(named, request.args);
    const endRead = isRead ? reads.begin(request.requestId, early.abort) : () => {};
    // A read may ask for hundreds of objects at once.
    setMaxListeners(0, signal);
    let isLogged = false;
    const ended = (error: RpcError | null, workMs = performance.now() - started) => {
      if (!isLogged) log.ended({ lane, request, repositoryId, started: performance.now() - workMs, error });
      isLogged = true;
    };
    let isOffered = false;
    const send = (reply: WorkerReply | LargeReply) => {
      const refuse = () => {
        const error = noSpace(request);
        if (error instanceof BusyError) metrics.refused(lane, error);
        return error;
      };
      const sent = deliver(reply, { request, cancelled: signal, ended: endRead, noSpace: refuse });
      isOffered = 'isOffer' in sent;
      return sent;
    };
    try {
      const { method } = request;
      if (!isServed(method)) throw new MethodNotFoundError(`No such method: ${method}`);
      // The client may have gone while its call waited for a slot.
      if (isRead) signal.throwIfAborted();
      const invokeCall = () => invoke(environment, method, { request, slot, signal, deadline, noteRepository });
      // Reads of rows run no commands, and the context of a caller makes each promise dearer.
      const mayRunCommands = isRead && lane !== 'metadata';
      const result = await (mayRunCommands ? commandCaller.run(request.callerKey, invokeCall) : invokeCall());
      if (result instanceof LongList && !signal.aborted) {
        const firstMs = performance.now() - started;
        // The time that the client takes to read the list is no time of the call.
        const list = streamList(result, request.callerKey, (failure, workMs) =>
          ended(failure === null ? null : clientError(failure, request), firstMs + workMs),
        );
        return send(list);
      }
      // The requester got `lateReply` when the time was up, or has gone.
      if (signal.aborted) discard(result);
      const movedOn = () => tracking.restart(pieceMsMax);
      const reply = signal.aborted ? encodeError(cutOff(request)) : send(replyOf(result, { slot, movedOn }));
      ended(null);
      return reply;
    } catch (thrown) {
      const error = isRead && signal.aborted ? cutOff(request, signal.reason) : clientError(thrown, request);
      ended(error);
      return encodeError(error);
    } finally {
      // Until the answer has been transferred, a client that goes ends it in the same way.
      if (!isOffered) endRead();
    }
  };

  const runRequest = async (
    { lane, slots, timeLimitMs, keptMsMax }: ServedLane,
    request: WorkerRequest,
    early: EarlyEnd,
  ): Promise<WorkerReply | LargeReply> => {
    const slot = await slotFor(slots, request);
    const tracking = overdueOf(lane).begin(request, timeLimitMs);
    const { requestId: id, method } = request;
    const endRunning = calls.begin({ id, method, lane });
    try {
      // The gateway answered the client when the time was up, and the client may have sent the call again since.
      if (pauses.pausedLately() && Date.now() - request.sentAt > request.timeoutMs) {
        throw new UnavailableError({ cause: new Error('its time limit passed while this worker was not running') });
      }
      return await runAdmitted({ request, lane, slot, tracking, timeLimitMs, early });
    } finally {
      endRunning();
      tracking.restart(keptMsMax);
      slot.end(() => tracking.end());
    }
  };

  const call = async (one: ServedLane, payload: Uint8Array, early: EarlyEnd): Promise<WorkerReply | LargeReply> => {
    const { lane, slots } = one;
    // Refused before the signature is verified: a worker with so many waiting calls has no time for that either.
    if (slots.isOverloaded) throw new BusyError({ quota: 'waiting_calls' });
    const request = decodeCommand(environment.tools.vault, methodNamed, payload);
    // The call does not wait here: the gateway tries again, perhaps on a worker with more memory. A kept reply needs none.
    if (lane !== 'metadata' && !mayBeCached(request) && environment.repositoryService?.tools.isShortOfMemory()) {
      throw new BusyError({ quota: 'memory' });
    }
    return traceCall(tracing, request, lane, () => runRequest(one, request, early));
  };

  const refuse = (lane: Lane, command: Uint8Array, error: unknown): WorkerReply => {
    if (error instanceof BusyError) metrics.refused(lane, error);
    // A worker without a free slot has no cause; one that cannot read the command does.
    if (error instanceof BusyError && !error.cause) return encodeError(error);
    if (!(error instanceof UnavailableError) && !(error instanceof BusyError)) throw error;
    log.refused(command, error);
    return encodeError(error);
  };

  return (one: ServedLane, payload: Uint8Array, early: EarlyEnd) =>
    call(one, payload, early).catch((error: unknown) => refuse(one.lane, payload, error));
}
