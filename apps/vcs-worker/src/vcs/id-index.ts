import { randomInt } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

export const idBytes = 20;
/** After so many entries, the event loop does other work of the process. */
export const entriesAtOnce = 1 << 15;

// Random, so that nobody can choose ids which all lead to one slot.
const seed = randomInt(2 ** 32);
const factor = randomInt(2 ** 31) * 2 + 1;

/**
 * Finds the positions of an id in a buffer of 20-byte ids, by a hash table in two arrays: a Map of as many strings would
 * take ten times the memory.
 */
export class IdIndex {
  readonly #ids: Buffer;
  /** The first position of an id, plus one; 0 in a free slot. */
  readonly #first: Int32Array;
  /** For each position the next one with the same id, plus one; 0 for the last one. */
  readonly #next: Int32Array;

  private constructor(ids: Buffer) {
    const count = ids.length / idBytes;
    this.#ids = ids;
    this.#first = new Int32Array(1 << Math.ceil(Math.log2(2 * count + 2)));
    this.#next = new Int32Array(count);
  }

  static async of(ids: Buffer): Promise<IdIndex> {
    const index = new IdIndex(ids);
    // From the last one, so that the positions of one id ascend.
    for (let position = index.#next.length - 1; position >= 0; position -= 1) {
      index.#add(position);
      if (position % entriesAtOnce === 0) await setImmediate();
    }
    return index;
  }

  /** Returns the positions of a full id, in ascending order. */
  *positionsOf(rawId: string): Generator<number> {
    const id = Buffer.from(rawId, 'hex');
    if (id.length !== idBytes) return;
    for (let entry = this.#first[this.#slotOf(id, 0)] ?? 0; entry !== 0; entry = this.#next[entry - 1] ?? 0) {
      yield entry - 1;
    }
  }

  /** Memory of the table, in bytes. */
  get bytes(): number {
    return this.#first.byteLength + this.#next.byteLength;
  }

  #add(position: number): void {
    const slot = this.#slotOf(this.#ids, position * idBytes);
    this.#next[position] = this.#first[slot] ?? 0;
    this.#first[slot] = position + 1;
  }

  /** Returns the slot of the id at an offset: the one that holds it, or the free one in which it would be. */
  #slotOf(source: Buffer, offset: number): number {
    const last = this.#first.length - 1;
    let slot = (Math.imul(source.readUInt32LE(offset) ^ seed, factor) >>> 7) & last;
    for (;;) {
      const entry = this.#first[slot] ?? 0;
      if (entry === 0) return slot;
      const at = (entry - 1) * idBytes;
      if (this.#ids.compare(source, offset, offset + idBytes, at, at + idBytes) === 0) return slot;
      slot = (slot + 1) & last;
    }
  }
}
