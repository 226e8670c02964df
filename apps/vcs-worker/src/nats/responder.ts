import { setMaxListeners } from 'node:events';
import {
  BusyError,
  decodeReadIds,
  decodeWorkerRequest,
  encodeError,
  encodeReadIds,
  encodeResult,
  endsWithClient,
  MethodNotFoundError,
  served,
  splitSignature,
  OutcomeUnknownError,
  RpcError,
  subjects,
  toRpcError,
  UnavailableError,
  workerQueueGroup,
  type Lane,
  type Method,
  type WorkerReply,
  type WorkerRequest,
} from '@trunkline/contracts';
import { databaseFailure } from '@trunkline/db';
import type { Bus, CallMetrics, Logger, RunningCalls, Service, StreamReply, Tracing } from '@trunkline/runtime';
import { invoke } from '../calls/invoke.ts';
import type { Call } from '../calls/call.ts';
import { createCallLog, isServed } from './call-log.ts';
import { decodeCommand } from './decode-command.ts';
import type { LaneSlots, Slot } from '../admission/lane-slots.ts';
import { keepsReply } from '../kept-replies/keeps-reply.ts';
import { LongList } from '../lists/long-list.ts';
import { createStreamList } from './list-stream.ts';
import { discard, replyOf } from './reply-of.ts';
import { commandCaller } from '../vcs/process/command-caller.ts';
import { watchOverdueCalls, type OverdueCalls, type Tracking } from './overdue-calls.ts';
import { detectPauses } from './pause-detector.ts';
import { RunningReads } from './running-reads.ts';
import { traceCall } from './trace-call.ts';

export interface ResponderOptions {
  /** Id of this worker. */
  readonly worker: string;
  readonly bus: Bus;
  readonly environment: Call['environment'];
  /** Names of the storages that this worker serves. */
  readonly storages: readonly string[];
  readonly lanes: readonly {
    readonly lane: Lane;
    readonly slots: LaneSlots;
    readonly timeLimitMs: number;
    /** Time for what goes on after the answer of a call and keeps its slot; each piece of a stream has `pieceMsMax`. */
    readonly keptMsMax: number;
  }[];
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
function cutOff({ method, requestId }: WorkerRequest, cause?: unknown): RpcError {
  const changes = isServed(method) && served[method].access !== 'read';
  return changes ? OutcomeUnknownError.of(requestId, cause) : new UnavailableError({ cause });
}

/** Returns the request of a command whose signature was verified before. */
function requestIn(command: Uint8Array): WorkerRequest {
  return decodeWorkerRequest(splitSignature(command).body);
}

/** Converts a failure to the client's error. */
function clientError(error: unknown, request: WorkerRequest): RpcError {
  if (error instanceof RpcError) return error;
  const failure = databaseFailure(error);
  if (!failure) return toRpcError(error);
  return failure === 'lost' ? cutOff(request, error) : new UnavailableError({ cause: error });
}

/** Returns whether the reply to a call may be a kept one, which takes neither a slot nor a process. */
function mayBeKept({ method }: WorkerRequest): boolean {
  return isServed(method) && keepsReply(method);
}

/** Returns a slot for a call; one that waits only when it is needed if the call's reply may be kept. */
async function slotFor(slots: LaneSlots, request: WorkerRequest): Promise<Slot> {
  const { callerKey } = request;
  return slots.tryTake(callerKey) ?? (mayBeKept(request) ? slots.takeLater(callerKey) : slots.take(callerKey));
}

type ServedLane = ResponderOptions['lanes'][number];

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
function commandRunner(
  { environment, metrics, logger, calls, tracing }: ResponderOptions,
  reads: RunningReads,
  overdueOf: (lane: Lane) => OverdueCalls,
) {
  const log = createCallLog(metrics, logger);
  const pauses = detectPauses();
  const streamList = createStreamList();

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
    const ended = (error: RpcError | null, workMs = performance.now() - started) =>
      log.ended({ lane, request, repositoryId, started: performance.now() - workMs, error });
    try {
      const { method } = request;
      if (!isServed(method)) throw new MethodNotFoundError(`No such method: ${method}`);
      // The client may have gone while its call waited for a slot.
      if (isRead) signal.throwIfAborted();
      const run = () => invoke(environment, method, { request, slot, signal, deadline, noteRepository });
      // Reads of rows run no commands, and the context of a caller makes each promise dearer.
      const mayRunCommands = isRead && lane !== 'metadata';
      const result = await (mayRunCommands ? commandCaller.run(request.callerKey, run) : run());
      if (result instanceof LongList && !signal.aborted) {
        const firstMs = performance.now() - started;
        // The time that the client takes to read the list is no time of the call.
        return streamList(result, request.callerKey, (failure, workMs) =>
          ended(failure === null ? null : clientError(failure, request), firstMs + workMs),
        );
      }
      // The requester got `lateReply` when the time was up, or has gone.
      if (signal.aborted) discard(result);
      const movedOn = () => tracking.restart(pieceMsMax);
      const answered = { slot, caller: request.callerKey, movedOn };
      const reply = signal.aborted ? encodeError(cutOff(request)) : replyOf(result, answered);
      ended(null);
      return reply;
    } catch (thrown) {
      const error = isRead && signal.aborted ? cutOff(request, signal.reason) : clientError(thrown, request);
      ended(error);
      return encodeError(error);
    } finally {
      endRead();
    }
  };

  const runRequest = async (
    { lane, slots, timeLimitMs, keptMsMax }: ServedLane,
    request: WorkerRequest,
    early: EarlyEnd,
  ): Promise<WorkerReply | StreamReply> => {
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

  const call = async (one: ServedLane, payload: Uint8Array, early: EarlyEnd): Promise<WorkerReply | StreamReply> => {
    const { lane, slots } = one;
    // Refused before the signature is verified: a worker with so many waiting calls has no time for that either.
    if (slots.isOverloaded) throw new BusyError({ quota: 'waiting_calls' });
    const request = decodeCommand(environment.tools.vault, methodNamed, payload);
    // Nothing waits here: the gateway tries again, perhaps on a worker with more memory. A kept reply needs none.
    if (lane !== 'metadata' && !mayBeKept(request) && environment.bytes?.tools.isShortOfMemory()) {
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

export interface Responder {
  /** Returns the lanes whose commands or pings the bus does not deliver to this worker. */
  unsubscribedLanes(): Lane[];
  /** Ends when all calls were answered; stops answers that are still being read after `streamMsMax`. */
  drain(streamMsMax: number): Promise<void>;
}

/** Answers the commands and pings of every lane of this worker. */
export function startResponder(options: ResponderOptions): Responder {
  const { bus } = options;
  const reads = new RunningReads(options.environment.tools.vault);
  const overdue = watchOverdueCalls(options.logger);
  const run = commandRunner(options, reads, overdue.of);
  /** Returns the error of a call for whose answer there is no space. */
  const noSpace = (lane: Lane, request: WorkerRequest): RpcError => {
    const error = cutOff(request);
    // A write has run, and must not be sent again.
    if (error instanceof OutcomeUnknownError) return error;
    const busy = new BusyError({ quota: 'answers' });
    options.metrics.refused(lane, busy);
    return busy;
  };
  bus.listen(subjects.callCancelled, (message) => reads.cancel(message));
  // Without a queue group: every worker is asked.
  const runningReads = bus.serve(subjects.runningReads, {
    timeLimitMs: 1_000,
    handle: async (message) => ({ payload: encodeReadIds(reads.among(decodeReadIds(message))), errorCode: null }),
  });

  /** Serves the calls of a lane about one storage; about any, in the lane `metadata`. */
  const serveCalls = (one: ServedLane, storage: string | null): Service[] => {
    // Lost reads of the lane `metadata` are sent again to one worker alone.
    const direct = one.lane === 'metadata' ? [subjects.directTo(options.worker)] : [];
    return [
      ...[subjects.rpcLane(one.lane, storage), ...direct].map((subject) =>
        bus.serve(subject, {
          queue: workerQueueGroup,
          timeLimitMs: one.timeLimitMs,
          lateReply: (payload) => encodeError(cutOff(requestIn(payload))),
          noSpaceReply: (payload) => encodeError(noSpace(one.lane, requestIn(payload))),
          handle: (payload, signal, abort) => run(one, payload, { signal, abort }),
        }),
      ),
      // Without a queue group every worker gets the ping: the others answer while one is paused.
      bus.serve(subjects.ping(one.lane, storage), {
        timeLimitMs: 1_000,
        // A worker whose slots are all held by overdue calls serves nothing in this lane.
        isSilent: () => overdue.of(one.lane).check() >= one.slots.size,
        handle: async () => encodeResult(options.worker),
      }),
    ];
  };
  const servedLanes = options.lanes.map((one) => {
    const storages = one.lane === 'metadata' ? [null] : options.storages;
    return { lane: one.lane, services: storages.flatMap((storage) => serveCalls(one, storage)) };
  });

  return {
    unsubscribedLanes: () =>
      servedLanes.flatMap(({ lane, services }) => (services.every(({ isSubscribed }) => isSubscribed) ? [] : [lane])),
    async drain(streamMsMax) {
      overdue.stop();
      await Promise.all(servedLanes.flatMap(({ services }) => services.map((service) => service.drain(streamMsMax))));
      // Until then, gateways ask about the reads that are being ended.
      await runningReads.drain();
    },
  };
}
