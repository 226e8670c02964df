import type { Readable } from 'node:stream';
import { DataError } from '../data/data-protocol.ts';
import { BusError } from './bus-error.ts';

/** Largest answer of known length. */
export const answerBytesMax = 64 * 1024 * 1024;

/** Returns the largest answer that is sent as one message to a server with this `max_payload`. */
export function messageBytesMax(payloadBytesMax: number): number {
  return Math.min(512 * 1024, Math.floor(payloadBytesMax / 2));
}

/** An answer that is too large for a message, or of unknown length; the receiver must read or destroy it. */
export interface LargeAnswer {
  /** Length in bytes; null when the sender did not know the length. */
  readonly length: number | null;
  /** Ends only when every byte has arrived, and otherwise fails with an error for which `isBrokenOff` is true. */
  readonly stream: Readable;
}

/** Returns whether a large answer has failed because of its worker, or on the way from it. */
export function isBrokenOff(error: unknown): boolean {
  return error instanceof BusError || error instanceof DataError;
}
