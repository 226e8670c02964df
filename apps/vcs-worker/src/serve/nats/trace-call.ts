import { toRpcError, type Lane, type WorkerReply, type WorkerRequest } from '@trunkline/contracts';
import type { Tracing } from '@trunkline/runtime';
import type { LargeReply } from './large-reply.ts';

/** Records a call as a span below the request of its gateway, if that is traced. */
export async function traceCall<Reply extends WorkerReply | LargeReply>(
  tracing: Tracing | null,
  { method, requestId, storage, traceparent }: WorkerRequest,
  lane: Lane,
  run: () => Promise<Reply>,
): Promise<Reply> {
  if (!tracing || traceparent === undefined) return run();
  const span = tracing.begin({
    name: method,
    kind: 'server',
    parent: traceparent,
    attributes: {
      'rpc.method': method,
      'trunkline.lane': lane,
      'trunkline.storage': storage,
      'trunkline.request_id': requestId,
    },
  });
  try {
    const reply = await run();
    span.recordOutcome('errorCode' in reply ? (reply.errorCode ?? 'ok') : 'ok');
    return reply;
  } catch (error) {
    span.recordOutcome(toRpcError(error).code);
    throw error;
  } finally {
    span.end();
  }
}
