import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { changesetDate } from '../changeset-date.ts';
import { entriesAtOnce, idBytes, IdIndex } from '../id-index.ts';

/** Commits with consecutive numbers, of which the highest is the newest commit of the repository. */
export interface CommitRange {
  /** The lowest of their numbers; 0 when they are all commits. */
  readonly first: number;
  /** Number of all commits of the repository. */
  readonly length: number;
  idAt(number: number): string | null;
  /** Milliseconds since 1970 of a commit, clamped like the dates of changesets. */
  timeAt(number: number): number;
  /** Returns the number of a commit by its full id; null for one that is not among them. */
  numberOf(rawId: string): number | null;
  /** Returns the ids of a commit's children, the oldest first; null where they are not known. */
  childrenOf(rawId: string): readonly string[] | null;
  /** Returns a test of whether a commit, by its number, is among those that a branch's head reaches. */
  reachedBy(head: string): Promise<(number: number) => boolean>;
}

const branchesMax = 8;
const hexDigits = 2 * idBytes;
const lineFeed = 10;

/** Yields the beginning and the end of each line, and yields to the event loop in between. */
async function* linesOf(output: Buffer): AsyncGenerator<readonly [number, number][]> {
  let lines: [number, number][] = [];
  for (let start = 0, end = output.indexOf(lineFeed); end >= 0; end = output.indexOf(lineFeed, start)) {
    if (end > start) lines.push([start, end]);
    start = end + 1;
    if (lines.length < entriesAtOnce) continue;
    yield lines;
    await setImmediate();
    lines = [];
  }
  yield lines;
}

/** The commits that refs reach, in the order of their numbers; 0 is the oldest. */
export class CommitOrder {
  readonly length: number;
  readonly #ids: Buffer;
  readonly #times: Float64Array;
  readonly #index: IdIndex;
  /** For each of some branch heads a bit for each commit that the head reaches. */
  readonly #reached = new LRUCache<string, Uint8Array>({ max: branchesMax });

  private constructor(ids: Buffer, times: Float64Array, index: IdIndex) {
    this.length = times.length;
    this.#ids = ids;
    this.#times = times;
    this.#index = index;
  }

  /** Parses lines `<seconds> <id>`, of which the first is about the newest commit. */
  static async parse(output: Buffer): Promise<CommitOrder> {
    let count = 0;
    for await (const lines of linesOf(output)) count += lines.length;
    const ids = Buffer.alloc(count * idBytes);
    const times = new Float64Array(count);
    let number = count;
    for await (const lines of linesOf(output)) {
      for (const [start, end] of lines) {
        number -= 1;
        ids.write(output.toString('latin1', end - hexDigits, end), number * idBytes, 'hex');
        times[number] = changesetDate(Number(output.toString('latin1', start, end - hexDigits))).getTime();
      }
    }
    return new CommitOrder(ids, times, await IdIndex.of(ids));
  }

  /** Memory in bytes, with that of the branches that may be kept. */
  get bytes(): number {
    return this.#ids.length + this.#times.byteLength + this.#index.bytes + branchesMax * (this.length / 8) + 1_000;
  }

  idAt(number: number): string | null {
    if (number < 0 || number >= this.length) return null;
    return this.#ids.toString('hex', number * idBytes, (number + 1) * idBytes);
  }

  /** Milliseconds since 1970 of a commit, clamped like the dates of changesets. */
  timeAt(number: number): number {
    return this.#times[number] ?? Number.NaN;
  }

  /** Returns the number of a commit by its full id; null for one that no ref reaches. */
  numberOf(rawId: string): number | null {
    for (const number of this.#index.positionsOf(rawId)) return number;
    return null;
  }

  /** Returns the commits as a range; `read` reads the ids of those that a branch's head reaches. */
  asRange(read: (head: string) => Promise<Buffer>): CommitRange {
    return {
      first: 0,
      length: this.length,
      idAt: (number) => this.idAt(number),
      timeAt: (number) => this.timeAt(number),
      numberOf: (rawId) => this.numberOf(rawId),
      // An order has no parents: reading all of them takes much longer than the order.
      childrenOf: () => null,
      reachedBy: (head) => this.#reachedBy(head, read),
    };
  }

  async #reachedBy(head: string, read: (head: string) => Promise<Buffer>): Promise<(number: number) => boolean> {
    const bits = this.#reached.get(head) ?? (await this.#bitsOf(await read(head)));
    this.#reached.set(head, bits);
    return (number) => ((bits[number >> 3] ?? 0) & (1 << (number & 7))) !== 0;
  }

  async #bitsOf(output: Buffer): Promise<Uint8Array> {
    const bits = new Uint8Array(Math.ceil(this.length / 8));
    for await (const lines of linesOf(output)) {
      for (const [start, end] of lines) {
        const number = this.numberOf(output.toString('latin1', start, end));
        if (number !== null) bits[number >> 3] = (bits[number >> 3] ?? 0) | (1 << (number & 7));
      }
    }
    return bits;
  }
}
