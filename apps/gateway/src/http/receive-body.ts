import type { IncomingMessage } from 'node:http';
import { sourceOf } from '../authn/source-of.ts';
import { BodyBudget } from './body-budget.ts';
import type { BodyBytes } from './body-bytes.ts';
import { readBody, type LowestRate } from './read-body.ts';

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
  /** Bytes that bodies without a good key share, and again those with one. */
  readonly pendingBytesMax: number;
  readonly lowestRate?: LowestRate;
}

/** Bytes of the beginning in which a key is looked for. */
const beginningBytes = 64 * 1024;
/** A body of less than that in the interval is ended: ordinary clients send all of it at once. */
const lowestRateDefault = { bytes: 10 * 1024, intervalMs: 10_000 };
/** Part of the budget that one address, or one user, may hold. */
const partMax = 4;

export function createReceiveBody(options: ReceiveOptions): ReceiveBody {
  const { bytesMax, lowestRate = lowestRateDefault } = options;
  const pendingBytesMax = Math.max(options.pendingBytesMax, bytesMax);
  const bytesMaxPerKey = Math.max(pendingBytesMax / partMax, bytesMax);
  const budget = new BodyBudget({ bytesMax: pendingBytesMax, bytesMaxPerKey });
  return async (incoming, { ip, findUser }, use) => {
    const account = budget.open(sourceOf(ip));
    let isKeySought = findUser === undefined;
    const onBytes = (body: BodyBytes) => {
      account.grow(body.held);
      if (isKeySought || body.length < beginningBytes) return;
      isKeySought = true;
      void findUser?.(body.value.subarray(0, beginningBytes)).then((user) => {
        if (user !== null) account.assignTo(user);
      });
    };
    try {
      return await use(await readBody(incoming, { bytesMax, lowestRate, onBytes }));
    } finally {
      account.close();
    }
  };
}
