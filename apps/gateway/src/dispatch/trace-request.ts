import type { Lane } from '@trunkline/contracts';
import type { BusReply } from '@trunkline/runtime';

/** One request on the bus: a call may need several, to several storages or after a busy answer. */
export interface BusRequest {
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

export const untraced: TraceRequest = (_request, send) => send(undefined);
