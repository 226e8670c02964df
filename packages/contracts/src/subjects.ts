import type { Lane } from './lanes.ts';

/** Every NATS subject of the service; nothing a user can choose is ever part of one. */
export const subjects = {
  /** Request-reply: one operation. */
  rpc: (lane: Lane, method: string): string => `trunkline.rpc.${lane}.${method}`,
  /** What a worker that serves a lane subscribes to. */
  rpcLane: (lane: Lane): string => `trunkline.rpc.${lane}.*`,
  /** Request-reply: is some worker serving this lane? */
  ping: (lane: Lane): string => `trunkline.ping.${lane}`,
  /** Where the worker that sends a large answer hears how much of it was taken; the id is its own and random. */
  stream: (id: string): string => `trunkline.stream.${id}`,
  /** Published when users or keys changed: gateways drop what they remember of them. */
  callersChanged: 'trunkline.event.callers_changed',
  /** Published when a worker that stops has let go of operations: any other may claim them. */
  operationReleased: 'trunkline.event.operation_released',
  /** Published when an operation is to be cancelled: its worker looks which. */
  operationCancelled: 'trunkline.event.operation_cancelled',
  /** Published when an operation ended: those who wait for its repository look again. */
  operationEnded: 'trunkline.event.operation_ended',
} as const;

export const workerQueueGroup = 'vcs-workers';

/** What the subjects begin with on which gateways hear answers; workers ask nothing. */
export const gatewayInboxes = 'trunkline.inbox.gateway';

const operationEvents = [subjects.operationReleased, subjects.operationCancelled, subjects.operationEnded];

/** All that either kind of process does on the bus; `infra/nats/permissions.conf` is written from it. */
export const busPermissions = {
  gateway: {
    publish: ['trunkline.rpc.*.*', 'trunkline.ping.*', subjects.stream('*')],
    subscribe: [`${gatewayInboxes}.>`, subjects.callersChanged],
  },
  worker: {
    // Answers go to the inboxes themselves: what a server remembers of replies that are still allowed would grow for
    // as long as the longest transfer may take.
    publish: [`${gatewayInboxes}.>`, subjects.callersChanged, ...operationEvents],
    // Commands are heard as a member of the group only: who listens in takes them from the workers, which is noticed.
    subscribe: [
      `trunkline.rpc.*.* ${workerQueueGroup}`,
      `trunkline.ping.* ${workerQueueGroup}`,
      subjects.stream('*'),
      ...operationEvents,
    ],
  },
} as const;
