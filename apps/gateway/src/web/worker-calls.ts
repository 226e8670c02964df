import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  MethodNotFoundError,
  served,
  splitContentHead,
  UnavailableError,
  type Caller,
  type Content,
  type Correlation,
  type ResultOfMethod,
  type Served,
  type ServedName,
} from '@trunkline/contracts';
import { laneOf, readWhole, throwBrokenOff, workingMethod, type Dispatch } from '../dispatch/command.ts';

type Args = Readonly<Record<string, unknown>>;

type ContentName = {
  [N in ServedName]: ResultOfMethod<Served[N]> extends Content<unknown> ? N : never;
}[ServedName];

type HeadOf<N extends ContentName> = ResultOfMethod<Served[N]> extends Content<infer Head> ? Head : never;

/** The head and body of content that a worker sends; a stream has to be read or destroyed. */
export interface OpenedContent<Head> {
  readonly head: Head;
  readonly body: Uint8Array | Readable;
}

/** Calls methods on workers, with one visitor as the caller. */
export interface WorkerCalls {
  call<N extends Exclude<ServedName, ContentName>>(name: N, args?: Args): Promise<ResultOfMethod<Served[N]>>;
  /** Calls a view that is new in this release; null when a worker of the former one has got the call. */
  callNew<N extends Exclude<ServedName, ContentName>>(name: N, args: Args): Promise<ResultOfMethod<Served[N]> | null>;
  open<N extends ContentName>(name: N, args: Args): Promise<OpenedContent<HeadOf<N>>>;
}

const headBytesMax = 64 * 1024;

/**
 * Reads the head of content from a stream, and leaves the rest in the stream. Throws UnavailableError without a head.
 */
async function openStream(stream: Readable): Promise<OpenedContent<unknown>> {
  let received = Buffer.alloc(0);
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    received = Buffer.concat([received, chunk as Buffer]);
    const split = splitContentHead(received);
    if (split) {
      if (split.rest.length > 0) stream.unshift(split.rest);
      return { head: split.head, body: stream };
    }
    if (received.length > headBytesMax) break;
  }
  stream.destroy();
  throw new UnavailableError({ cause: new Error('content without a head') });
}

/**
 * Returns the calls of one caller; reads among them end when `clientGone` aborts. Each call has a request id of its own,
 * since each may begin an operation.
 */
export function workerCalls(
  dispatch: Dispatch,
  caller: Caller,
  correlation: Correlation,
  clientGone: AbortSignal,
): WorkerCalls {
  const send = (name: ServedName, args: Args, endsWhenUnknown = false) => {
    const method = workingMethod(served[name], args);
    const requestId = randomUUID();
    const lane = laneOf(method, args);
    return dispatch({ method, lane, args, caller, requestId, ...correlation, clientGone, endsWhenUnknown });
  };
  const parsed = async <N extends ServedName>(answer: Awaited<ReturnType<Dispatch>>) => {
    const bytes = await readWhole(answer);
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as ResultOfMethod<Served[N]>;
  };
  return {
    call: async <N extends ServedName>(name: N, args: Args = {}) => parsed<N>(await send(name, args)),
    async callNew<N extends ServedName>(name: N, args: Args) {
      try {
        return await parsed<N>(await send(name, args, true));
      } catch (error) {
        if (error instanceof MethodNotFoundError) return null;
        throw error;
      }
    },
    async open<N extends ContentName>(name: N, args: Args) {
      const reply = await send(name, args);
      if (!(reply instanceof Uint8Array))
        return (await openStream(reply.stream).catch(throwBrokenOff)) as OpenedContent<HeadOf<N>>;
      const split = splitContentHead(reply);
      if (!split) throw new UnavailableError({ cause: new Error('content without a head') });
      return { head: split.head as HeadOf<N>, body: split.rest };
    },
  };
}
