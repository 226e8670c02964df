import type { IncomingMessage } from 'node:http';
import { sourceOf } from './network.ts';
import type { BodyBudget } from './body-budget.ts';
import { readBody, type BodyBytes, type LowestRate } from './read-body.ts';
import { sliceBytes, type TakeSlice } from './body-slices.ts';

export interface Sender {
  readonly ip: string;
  /**
   * Is called once, with the beginning of a body that is long; resolves with the name of the user whose good key it
   * shows, or null.
   */
  readonly findUser?: (beginning: Buffer) => Promise<string | null>;
}

/** Receives the body of a request; holds its bytes of the budget until `use` has ended. */
export type ReceiveBody = <T>(
  incoming: IncomingMessage,
  sender: Sender,
  use: (body: Buffer) => Promise<T>,
) => Promise<T>;

export interface ReceiveOptions {
  readonly bytesMax: number;
  readonly budget: Pick<BodyBudget, 'open'>;
  /** Waits for the slice of a body without a good key. */
  readonly takeSlice: TakeSlice;
  readonly lowestRate?: LowestRate;
  /** Maximum wait of a body for all its slices together. */
  readonly waitMsMax?: number;
}

/** A body of less than that in the interval is ended: ordinary clients send all of it at once. */
const lowestRateDefault = { bytes: 10 * 1024, intervalMs: 10_000 };
/** Shorter than the time in which a request has to arrive. */
const waitMsMaxDefault = 10_000;

export function createReceiveBody(options: ReceiveOptions): ReceiveBody {
  const { bytesMax, budget, takeSlice, lowestRate = lowestRateDefault, waitMsMax = waitMsMaxDefault } = options;
  return async (incoming, { ip, findUser }, use) => {
    const source = sourceOf(ip);
    const account = budget.open(source);
    /** Only for a body that waits for slices: a controller for each body would cost much. */
    let left: AbortController | undefined;
    let nextSlice = sliceBytes;
    let waitedMs = 0;
    let isKeyGood: Promise<boolean> | undefined;

    const checkKey = async (body: BodyBytes): Promise<boolean> => {
      const user = (await findUser?.(body.value.subarray(0, sliceBytes))) ?? null;
      if (user !== null) account.assignTo(user);
      return user !== null;
    };
    const pace = async (body: BodyBytes): Promise<void> => {
      isKeyGood ??= checkKey(body);
      if (await isKeyGood) return;
      const started = performance.now();
      const { signal } = (left ??= new AbortController());
      await takeSlice({ source, timeoutMs: Math.max(0, waitMsMax - waitedMs), signal });
      waitedMs += performance.now() - started;
    };
    const onBytes = (body: BodyBytes) => {
      account.grow(body.held);
      if (body.length < nextSlice) return null;
      nextSlice = body.length + sliceBytes;
      return pace(body);
    };
    try {
      return await use(await readBody(incoming, { bytesMax, lowestRate, onBytes }));
    } finally {
      left?.abort();
      account.close();
    }
  };
}
