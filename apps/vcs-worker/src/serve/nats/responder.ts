import {
  decodeReadIds,
  decodeWorkerRequest,
  encodeError,
  encodeReadIds,
  encodeResult,
  splitSignature,
  subjects,
  workerQueueGroup,
  type Lane,
  type WorkerRequest,
} from '@trunkline/contracts';
import type { Bus, Service } from '@trunkline/runtime';
import { commandRunner, cutOff, type CommandTools, type ServedLane } from './command-runner.ts';
import { watchOverdueCalls } from './overdue-calls.ts';
import { RunningReads } from './running-reads.ts';

export interface ResponderOptions extends CommandTools {
  /** Id of this worker. */
  readonly worker: string;
  readonly bus: Bus;
  /** Names of the storages that this worker serves. */
  readonly storages: readonly string[];
  readonly lanes: readonly ServedLane[];
}

/** Returns the request of a command whose signature was verified before. */
function requestIn(command: Uint8Array): WorkerRequest {
  return decodeWorkerRequest(splitSignature(command).body);
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
  const runCommand = commandRunner(options, reads, overdue.of);
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
          handle: (payload, signal, abort) => runCommand(one, payload, { signal, abort }),
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
