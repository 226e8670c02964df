import { answerBytesMax } from '@trunkline/runtime';
import { KeyedCounter, SlowReaders } from '@trunkline/runtime/concurrency';

/** Limit of the bytes of answers that a process holds for their readers; further calls with large answers get "busy". */
const heldBytesMax = 4 * answerBytesMax;
/** One caller has at most this part of the bytes. */
const callerPart = 1 / 2;

/** An answer whose bytes are held until its client has read them. */
export interface HeldAnswer {
  /** Notes that the client was sent so many bytes. */
  sent(bytes: number): void;
  /** Gives the bytes back; a second call does nothing. */
  release(): void;
}

/**
 * The bytes of the large answers that a process holds for clients that read them, as far as these want. One caller has at
 * most half of them and, once it has some, leaves others space for the largest answer. Where an answer finds no space, slow
 * readers beyond a quarter are ended.
 */
export class HeldAnswers {
  readonly #bytesMax: number;
  readonly #largest: number;
  readonly #readers: SlowReaders;
  readonly #ofCaller = new KeyedCounter<string>();
  #bytes = 0;

  constructor({ bytesMax = heldBytesMax, largest = answerBytesMax } = {}, now?: () => number) {
    this.#bytesMax = bytesMax;
    this.#largest = largest;
    this.#readers = new SlowReaders({ size: bytesMax }, now);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Takes the bytes of an answer, which `end` ends; returns null when there is no space for them. */
  take(caller: string, bytes: number, end: () => void): HeldAnswer | null {
    const own = this.#ofCaller.of(caller);
    if (own > 0 && own + bytes > this.#bytesMax * callerPart) return null;
    const leave = own > 0 ? this.#largest : 0;
    while (this.#bytes + bytes + leave > this.#bytesMax) if (!this.#readers.endOne(caller)) return null;
    return this.#hold(caller, bytes, end);
  }

  #hold(caller: string, bytes: number, end: () => void): HeldAnswer {
    let isHeld = true;
    const release = () => {
      if (!isHeld) return;
      isHeld = false;
      reader.remove();
      this.#bytes -= bytes;
      this.#ofCaller.remove(caller, bytes);
    };
    const endReading = () => {
      release();
      end();
    };
    const reader = this.#readers.add({ caller, held: bytes, end: endReading });
    this.#bytes += bytes;
    this.#ofCaller.add(caller, bytes);
    return { sent: reader.sent, release };
  }
}
