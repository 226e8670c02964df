import * as v from 'valibot';
import type { Lane } from './lanes.ts';

/** Name that an operator gives to a storage. It is a token of subjects, so it consists of these characters only. */
export const StorageName = v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,32}$/, 'must be 1 to 32 of `a-z`, `0-9` and `-`'));

/** Returns the tokens that name the workers of a lane: of one storage, unless it is the lane `metadata`. */
function workersOf(lane: Lane, storage: string | null): string {
  if ((lane === 'metadata') !== (storage === null)) throw new Error(`the lane ${lane} and the storage ${storage}`);
  return storage === null ? lane : `${lane}.${v.parse(StorageName, storage)}`;
}

/** Every NATS subject of the service; no subject contains text that a user can choose. */
export const subjects = {
  /** Request-reply: a call of one method. The storage is null for the lane `metadata`, which every storage shares. */
  rpc: (lane: Lane, storage: string | null, method: string): string =>
    `trunkline.rpc.${workersOf(lane, storage)}.${method}`,
  /** The subscription of a worker that serves a lane of a storage. */
  rpcLane: (lane: Lane, storage: string | null): string => `trunkline.rpc.${workersOf(lane, storage)}.*`,
  /** Request-reply: a lost read of the lane `metadata` that is sent again, to this worker, whose id is random. */
  direct: (worker: string, method: string): string => `trunkline.direct.${worker}.${method}`,
  /** The subscription of a worker of the lane `metadata` to reads that are sent to it alone. */
  directTo: (worker: string): string => `trunkline.direct.${worker}.*`,
  /** Request-reply: every worker that serves the lane of the storage answers with its id. */
  ping: (lane: Lane, storage: string | null): string => `trunkline.ping.${workersOf(lane, storage)}`,
  /** Request-reply: every worker with a data port answers with an offer, by which a gateway checks the port. */
  dataPorts: 'trunkline.ping.data',
  /** Request-reply: every worker answers which of the named reads it runs, so that a gateway misses those of a dead one. */
  runningReads: 'trunkline.ping.reads',
  /** Published by a gateway, signed: every gateway and worker tells its state. */
  stateRequest: 'trunkline.state.request',
  /** Published by the processes that were asked for their state, signed: the gateway that asked takes those for it. */
  stateAnswer: 'trunkline.state.answer',
  /** Request-reply: a worker that copies a tree to this storage asks one of its workers for an offer of a transfer. */
  copy: (storage: string): string => `trunkline.copy.${v.parse(StorageName, storage)}`,
  /** Request-reply: a backup asks a worker of this storage for an offer of the tree of one repository. */
  snapshot: (storage: string): string => `trunkline.snapshot.${v.parse(StorageName, storage)}`,
  /** Subject on which the worker that sends a stream receives credit; the worker generates the id at random. */
  stream: (id: string): string => `trunkline.stream.${id}`,
  /** Published by a gateway whose client has gone: the worker that runs this read ends it. */
  callCancelled: 'trunkline.cancel',
  /** Published when users or keys changed: gateways empty their caches of callers. */
  callersChanged: 'trunkline.event.callers_changed',
  /** Published when a worker that stops has released its leases: any other worker may claim the operations. */
  operationReleased: 'trunkline.event.operation_released',
  /** Published when an operation is to be cancelled: workers read from the database which one. */
  operationCancelled: 'trunkline.event.operation_cancelled',
  /** Published when an operation has ended: calls that wait for this operation or its repository check again. */
  operationEnded: 'trunkline.event.operation_ended',
} as const;

export const workerQueueGroup = 'vcs-workers';

/** The prefixes of the subjects on which gateways and workers receive replies. */
export const gatewayInboxes = 'trunkline.inbox.gateway';
export const workerInboxes = 'trunkline.inbox.worker';

/** Patterns of the subjects of calls and pings: of the lane `metadata`, and of the lanes of storages. */
const calls = ['trunkline.rpc.metadata.*', 'trunkline.rpc.*.*.*'] as const;
const pings = ['trunkline.ping.metadata', subjects.dataPorts, subjects.runningReads, 'trunkline.ping.*.*'] as const;

const copies = 'trunkline.copy.*';
/** Asked for by a backup, as a worker's user. */
const snapshots = 'trunkline.snapshot.*';

const states = [subjects.stateRequest, subjects.stateAnswer];

const operationEvents = [subjects.operationReleased, subjects.operationCancelled, subjects.operationEnded];

/** Subjects that gateways and workers may use; `infra/nats/permissions.conf` is generated from this table. */
export const busPermissions = {
  gateway: {
    publish: [...calls, 'trunkline.direct.*.*', subjects.callCancelled, ...pings, ...states, subjects.stream('*')],
    subscribe: [`${gatewayInboxes}.>`, ...states, subjects.callersChanged, subjects.operationEnded],
  },
  worker: {
    // Permission to reply is given for all inboxes: with NATS' `allow_responses` the server would have to remember each
    // reply subject for as long as the longest import may take.
    publish: [
      `${gatewayInboxes}.>`,
      `${workerInboxes}.>`,
      copies,
      snapshots,
      subjects.stateAnswer,
      subjects.callersChanged,
      ...operationEvents,
    ],
    // Commands are for the queue group only, in which each goes to one member: an eavesdropper would receive commands
    // that the workers then lack, which is noticed.
    subscribe: [
      ...[...calls, 'trunkline.direct.*.*', copies, snapshots].map((subject) => `${subject} ${workerQueueGroup}`),
      `${workerInboxes}.>`,
      subjects.callCancelled,
      ...pings,
      subjects.stateRequest,
      subjects.stream('*'),
      ...operationEvents,
    ],
  },
} as const;
