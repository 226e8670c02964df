import {
  BusyError,
  decodeError,
  InvalidRequestError,
  lanes,
  OutcomeUnknownError,
  subjects,
  UnavailableError,
  type Caller,
  type Lane,
  type Method,
  type RpcError,
} from '@trunkline/contracts';
import type { SecretVault } from '@trunkline/db';
import { BusError, type Bus, type BusReply, type EndWatch } from '@trunkline/runtime';
import type { Clock } from '../clock.ts';
import { busyWaitMs, noRespondersWaitMs } from './back-off.ts';
import { encodeCommand } from './encode-command.ts';
import { createCallQueue } from './call-queue.ts';
import { answerOrOutcome } from './operation-outcome.ts';

/** How long before the gateway gives up the worker is to end, so that its own answer still arrives. */
const answerMarginMs = 250;
const busyMsMax = 10_000;
const queueLimits = { inFlightMax: 16, waitingMax: 2_048 };

export interface Command {
  readonly method: Method;
  readonly lane: Lane;
  readonly args: unknown;
  readonly caller: Caller;
  readonly requestId: string;
}

/** Has a worker run the method; the result is finished JSON, whole or as it comes. */
export type Dispatch = (command: Command) => Promise<BusReply['payload']>;

interface DispatchTools {
  readonly bus: Pick<Bus, 'request' | 'payloadBytesMax'>;
  readonly vault: Pick<SecretVault, 'hmac' | 'seal'>;
  readonly transferTimeoutMs: number;
  readonly ends: Pick<EndWatch, 'watch'>;
  readonly clock: Clock;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

export function laneOf(method: Method, args: unknown): Lane {
  return method.laneOf?.(isRecord(args) ? args : {}) ?? method.lane;
}

/** What a user asks of one repository waits for itself alone; pulls and imports wait for each other in workers. */
function queueKeyOf({ method, lane, args, caller }: Command): string | null {
  if (lane === 'transfer' || !method.permission.repository || !isRecord(args)) return null;
  const { repoid } = args;
  // Whatever else it is names nothing, and need not be convertible to text.
  const isName = typeof repoid === 'string' || typeof repoid === 'number';
  return isName ? `${caller.userId} ${lane} ${repoid}` : null;
}

export function createDispatch({ bus, vault, transferTimeoutMs, ends, clock }: DispatchTools): Dispatch {
  const ask = (command: Command, timeLeftMs: number): Promise<BusReply> => {
    const { method, lane, args, caller, requestId } = command;
    const timeoutMs = Math.max(1, Math.round(timeLeftMs - answerMarginMs));
    const request = encodeCommand(vault, method, { args, caller, requestId, timeoutMs, sentAt: Date.now() });
    const send = (signal?: AbortSignal) =>
      bus.request(subjects.rpc(lane, method.name), request, Math.ceil(timeLeftMs), signal);
    return method.access === 'operation' ? orOutcome(command, send) : send();
  };

  const clientError = (error: BusError, { method, requestId }: Command): RpcError => {
    if (error.reason === 'too-large') {
      const text = `Request body is too large (limit ${bus.payloadBytesMax} bytes)`;
      return new InvalidRequestError(text, { cause: error });
    }
    if (error.nothingRan || method.access === 'read') return new UnavailableError({ cause: error });
    return OutcomeUnknownError.of(requestId, error);
  };

  const enqueue = createCallQueue(queueLimits);

  const run = async (command: Command, deadline: number, busyUntil: number) => {
    let askedNobody = false;
    for (let attempt = 0; ; attempt += 1) {
      // Only where nothing ran is the request sent again.
      try {
        const reply = await ask(command, deadline - clock.now());
        if (!reply.isError) return reply.payload;
        const error = decodeError(reply.payload);
        const waitMs = busyWaitMs(attempt);
        if (!(error instanceof BusyError) || clock.now() + waitMs >= busyUntil) throw error;
        await clock.sleep(waitMs);
      } catch (error) {
        if (!(error instanceof BusError)) throw error;
        if (error.reason !== 'no-responders' || askedNobody) throw clientError(error, command);
        askedNobody = true;
        await clock.sleep(noRespondersWaitMs());
      }
    }
  };

  const dispatch: Dispatch = (command) => {
    const started = clock.now();
    const deadline = started + (command.lane === 'transfer' ? transferTimeoutMs : lanes[command.lane].timeoutMs);
    const busyUntil = Math.min(deadline, started + busyMsMax);
    const call = () => run(command, deadline, busyUntil);
    const key = queueKeyOf(command);
    // A write that is sent when its time is nearly up would run, and no client would get the answer.
    const queueMsMax = Math.min(busyMsMax, (deadline - started) / 2);
    return key === null ? call() : enqueue(key, queueMsMax, call);
  };
  const orOutcome = answerOrOutcome({ ends, dispatch, clock });
  return dispatch;
}
