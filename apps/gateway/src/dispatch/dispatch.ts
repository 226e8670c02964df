import { addAbortSignal } from 'node:stream';
import {
  BusyError,
  busyMsOf,
  endsWithClient,
  InvalidRequestError,
  isHeldLong,
  lanes,
  MethodNotFoundError,
  NotFoundError,
  OutcomeUnknownError,
  subjects,
  UnavailableError,
  WrongStorageError,
  type Lane,
  type RpcError,
} from '@trunkline/contracts';
import { BusError, type Bus, type BusReply, type EndWatch } from '@trunkline/runtime';
import type { SecretVault } from '@trunkline/db';
import type { Clock } from '../clock.ts';
import { busyWaitMs, createRetryQueue, createCallQueue, queueKeyOf, type WaitToRetry } from './call-queue.ts';
import { callerKey, type Command, type Dispatch } from './command.ts';
import { encodeCancellation, encodeCommand } from './encode-command.ts';
import { workerError, type OpenAnswer } from './answer.ts';
import { createAnswerOrOutcome } from './operation-outcome.ts';
import type { DispatchMetrics } from './dispatch-metrics.ts';
import type { RepositoryHints } from './repository-hints.ts';
import type { StorageRoute } from './storage-route.ts';
import { findResponsive, repeatsMax, sendWatched, type WatchRead } from './read-liveness.ts';

/** One request on the bus: a call may need several, to several storages or after a busy answer. */
interface BusRequest {
  readonly method: string;
  readonly lane: Lane;
  readonly storage: string | null;
  readonly requestId: string;
}

/** Sends a request with the trace context for its worker; without one when it is not traced. */
export type TraceRequest = (
  request: BusRequest,
  send: (traceparent: string | undefined) => Promise<BusReply>,
) => Promise<BusReply>;

const untraced: TraceRequest = (_request, send) => send(undefined);

/** The worker's time limit is this much shorter than the gateway's, so that the worker's own error still arrives. */
const answerMarginMs = 250;
const queueMsLimit = 10_000;
/** A call that changes something is sent only with so much of its time left: it would run, and its answer be too late. */
const writeMsMin = 1_000;
const queueLimits = { inFlightMax: 16, waitingMax: 2_048 };

interface DispatchTools {
  readonly bus: Pick<Bus, 'request' | 'publish' | 'payloadBytesMax'>;
  readonly openAnswer: OpenAnswer;
  readonly vault: Pick<SecretVault, 'hmac' | 'seal'>;
  readonly transferTimeoutMs: number;
  readonly endWatch: Pick<EndWatch, 'watch'>;
  readonly clock: Clock;
  /** Creates the route of a call in a lane that reaches bytes. */
  readonly routeOf: (command: Pick<Command, 'method' | 'args' | 'storage'>) => StorageRoute;
  readonly hints: Pick<RepositoryHints, 'idOf'>;
  readonly watchRead: WatchRead;
  /** Records requests on the bus; absent without tracing. */
  readonly traceRequest?: TraceRequest;
  readonly metrics: DispatchMetrics;
}

/** Returns the signal that ends a call before its answer: only calls that change nothing have one. */
function endOf({ method, args, clientGone }: Command): AbortSignal | undefined {
  return endsWithClient(method, args) ? clientGone : undefined;
}

/**
 * Returns the delay in milliseconds before the one retry of a request that had no responders: a worker that restarts is
 * back either at once or not soon.
 */
function noRespondersWaitMs(): number {
  return 10 + Math.random() * 20;
}

export function createDispatch(tools: DispatchTools): Dispatch {
  const { bus, vault, transferTimeoutMs, endWatch, clock, watchRead, metrics, traceRequest = untraced } = tools;
  /** Takes the offer of a large answer in the time that is left; returns any other reply as it is. */
  const taken = async (
    reply: BusReply,
    { requestId, caller }: Command,
    deadline: number,
    signal?: AbortSignal,
  ): Promise<BusReply> => {
    if (!('isOffer' in reply && reply.isOffer)) return reply;
    const opening = { requestId, caller: callerKey(caller), timeoutMs: Math.max(1, deadline - clock.now()), signal };
    return { payload: await tools.openAnswer(reply.payload, opening), isError: false };
  };

  const ask = (
    subject: string,
    command: Command,
    deadline: number,
    storage: string | null,
    onBegin?: () => void,
  ): Promise<BusReply> => {
    const { method, lane, args, caller, requestId, correlationId, traceId, baseUrl } = command;
    const timeLeftMs = deadline - clock.now();
    const timeoutMs = Math.max(1, Math.round(timeLeftMs - answerMarginMs));
    const ids = { requestId, correlationId, traceId, baseUrl, ...(storage !== null && { storage }) };
    const send = (signal?: AbortSignal) =>
      traceRequest({ method: method.name, lane, storage, requestId }, (traceparent) => {
        const sent = { ...ids, ...(traceparent !== undefined && { traceparent }), timeoutMs, sentAt: Date.now() };
        const encoded = encodeCommand(vault, method, { args, caller, takesOffer: true, ...sent });
        return metrics.measure(lane, async () => {
          const reply = await bus.request(subject, encoded, Math.ceil(timeLeftMs), signal, onBegin);
          return taken(reply, command, deadline, signal);
        });
      });
    return method.access === 'operation' ? answerOrOutcome(command, send) : send(endOf(command));
  };

  const clientError = (error: BusError, { method, requestId }: Command): RpcError => {
    if (error.reason === 'too-large') {
      const text = `Request body is too large (limit ${bus.payloadBytesMax} bytes)`;
      return new InvalidRequestError(text, { cause: error });
    }
    if (error.nothingRan || method.access === 'read') return new UnavailableError({ cause: error });
    return OutcomeUnknownError.of(requestId, error);
  };

  const { enqueue, waiting } = createCallQueue(queueLimits);
  metrics.observeQueue(waiting);

  /** Has the workers end a read that was sent to them; a worker that does not run it ignores the message. */
  const cancel = ({ requestId }: Command) => bus.publish(subjects.callCancelled, encodeCancellation(vault, requestId));

  /** Returns the storage to ask after a failure in which nothing ran; null when no other storage can run the call. */
  const otherStorage = async (error: unknown, route: StorageRoute | null): Promise<string | null> => {
    if (route === null) return null;
    if (error instanceof WrongStorageError) return route.afterWrongStorage(error.message);
    return error instanceof BusError && error.reason === 'no-responders' ? route.afterUnserved() : null;
  };

  const retryQueue = createRetryQueue();

  const run = async (command: Command, deadline: number, busyUntil: number, waitToRetry: WaitToRetry) => {
    const gone = endOf(command);
    const route = command.lane === 'metadata' ? null : tools.routeOf(command);
    let storage = route && (await route.first());
    gone?.throwIfAborted();
    let hadNoResponders = false;
    let repeatsLeft = command.method.access === 'read' ? repeatsMax : 0;
    let responsive: string | null = null;
    const watch = (lost: () => void) => watchRead(command.requestId, lost);
    const send = (to: string | null): Promise<BusReply | null> => {
      const { name } = command.method;
      const subject = responsive === null ? subjects.rpc(command.lane, to, name) : subjects.direct(responsive, name);
      responsive = null;
      if (repeatsLeft === 0) return ask(subject, command, deadline, to);
      return sendWatched(watch, (begun) => ask(subject, command, deadline, to, begun));
    };
    for (let attempt = 0; ; attempt += 1) {
      // A request that may have run is sent again only if it is a read.
      try {
        const reply = await send(storage);
        if (reply === null) {
          repeatsLeft -= 1;
          metrics.retried(command.lane, 'lost_worker');
          // The queue group may choose a frozen worker again, and reads of this lane have too little time for that.
          if (command.lane === 'metadata') responsive = await findResponsive(bus);
          if (gone?.aborted) throw new BusError('abandoned');
          continue;
        }
        if (!reply.isError) {
          if (gone && !(reply.payload instanceof Uint8Array)) addAbortSignal(gone, reply.payload.stream);
          return reply.payload;
        }
        const error = workerError(reply.payload);
        if (command.endsWhenUnknown && error.cause instanceof MethodNotFoundError) throw error.cause;
        const waitMs = busyWaitMs(attempt);
        const busyMsLeft = busyUntil - clock.now() - waitMs;
        if (!(error instanceof BusyError) || busyMsLeft <= 0) throw error;
        if (isHeldLong(command.lane)) {
          await waitToRetry(`${callerKey(command.caller)} ${command.lane} ${storage}`, busyMsLeft, gone);
        }
        await clock.sleep(waitMs, gone);
        // The sleep of a busy process may have been longer.
        if (clock.now() >= busyUntil) throw error;
        metrics.retried(command.lane, 'busy');
      } catch (error) {
        if (gone?.aborted) {
          if (error instanceof BusError && error.reason === 'abandoned') cancel(command);
          throw gone.reason;
        }
        if (error instanceof NotFoundError) route?.afterNotFound();
        const other = hadNoResponders ? null : await otherStorage(error, route);
        if (other !== null) {
          storage = other;
          metrics.retried(command.lane, 'other_storage');
          continue;
        }
        if (error instanceof WrongStorageError) throw new UnavailableError({ cause: error });
        if (!(error instanceof BusError)) throw error;
        if (error.reason !== 'no-responders' || hadNoResponders) throw clientError(error, command);
        hadNoResponders = true;
        metrics.retried(command.lane, 'no_responders');
        await clock.sleep(noRespondersWaitMs(), gone);
      }
    }
  };

  const dispatch: Dispatch = async (command) => {
    const gone = endOf(command);
    gone?.throwIfAborted();
    const started = clock.now();
    const deadline = started + (command.lane === 'transfer' ? transferTimeoutMs : lanes[command.lane].timeoutMs);
    const msLeftMin = command.method.access === 'read' ? answerMarginMs : writeMsMin;
    const busyUntil = Math.min(deadline - msLeftMin, started + busyMsOf(command.lane));
    const call = () => retryQueue.run((waitToRetry) => run(command, deadline, busyUntil, waitToRetry));
    const key = queueKeyOf(command, tools.hints);
    // A write that is sent when its time is nearly up would run, and no client would get the answer.
    const queueMsMax = Math.min(queueMsLimit, (deadline - started) / 2);
    if (key === null) return call();
    return enqueue(key, queueMsMax, call, gone).catch((error: unknown) => {
      throw gone?.aborted ? gone.reason : error;
    });
  };
  const answerOrOutcome = createAnswerOrOutcome({ endWatch, dispatch, clock });
  return dispatch;
}
