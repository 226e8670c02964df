import type { Lane } from './lanes.ts';

/** Every NATS subject of the service; nothing a user can choose is ever part of one. */
export const subjects = {
  /** Request-reply: one method. */
  rpc: (lane: Lane, method: string): string => `trunkline.rpc.${lane}.${method}`,
  /** The subscription of a worker that serves a lane. */
  rpcLane: (lane: Lane): string => `trunkline.rpc.${lane}.*`,
  /** Request-reply: one read of the lane `metadata`, sent again to this worker, whose id is random. */
  direct: (worker: string, method: string): string => `trunkline.direct.${worker}.${method}`,
  /** The subscription of a worker of the lane `metadata` to reads that are sent to it alone. */
  directTo: (worker: string): string => `trunkline.direct.${worker}.*`,
  /** Request-reply: answered by every worker that serves the lane, with its id. */
  ping: (lane: Lane): string => `trunkline.ping.${lane}`,
  /** Where the worker that sends a stream receives credit; the worker draws the id at random. */
  stream: (id: string): string => `trunkline.stream.${id}`,
  /** Published when users or keys changed: gateways empty their caches of callers. */
  callersChanged: 'trunkline.event.callers_changed',
  /** Published when a worker that stops has released leases: any other worker may claim the operations. */
  operationReleased: 'trunkline.event.operation_released',
  /** Published when an operation is to be cancelled: workers read which one. */
  operationCancelled: 'trunkline.event.operation_cancelled',
  /** Published when an operation ended: calls that wait for that one or for its repository look again. */
  operationEnded: 'trunkline.event.operation_ended',
} as const;

export const workerQueueGroup = 'vcs-workers';

/** The prefix of the subjects on which gateways receive replies; workers send no requests. */
export const gatewayInboxes = 'trunkline.inbox.gateway';

const operationEvents = [subjects.operationReleased, subjects.operationCancelled, subjects.operationEnded];

/** The subjects that each kind of process uses; `infra/nats/permissions.conf` is generated from them. */
export const busPermissions = {
  gateway: {
    publish: ['trunkline.rpc.*.*', 'trunkline.direct.*.*', 'trunkline.ping.*', subjects.stream('*')],
    subscribe: [`${gatewayInboxes}.>`, subjects.callersChanged, subjects.operationEnded],
  },
  worker: {
    // Replies by a permission on the inboxes: with NATS' `allow_responses` the server would remember each reply subject
    // for as long as the longest import may take.
    publish: [`${gatewayInboxes}.>`, subjects.callersChanged, ...operationEvents],
    // Commands by the queue group alone: an eavesdropper would take commands away from the workers, which is noticed.
    subscribe: [
      `trunkline.rpc.*.* ${workerQueueGroup}`,
      `trunkline.direct.*.* ${workerQueueGroup}`,
      'trunkline.ping.*',
      subjects.stream('*'),
      ...operationEvents,
    ],
  },
} as const;
