import type { FileHandle } from 'node:fs/promises';
import { Condition, withTimeout } from '@trunkline/runtime/concurrency';
import { VcsError } from '../../vcs/vcs-error.ts';
import type { FileShare } from './file-space.ts';

export interface AnswerFileLimits {
  /** Bytes in which a file grows; also those with which it begins. */
  readonly stepBytes: number;
  /** Bytes by which the source may be ahead of the fastest reader; at most `stepBytes`. */
  readonly aheadBytes: number;
  /** Time for which a reader may stop the source, in milliseconds, where others wait for more. */
  readonly lateMsMax: number;
  /** Bytes by which a reader makes a second of that time good. */
  readonly bytesForSecond: number;
}

/** The bytes of an answer for one reader, who has to read them to the end or to `end`. */
interface AnswerReader extends AsyncIterable<Uint8Array> {
  end(): void;
}

interface Position {
  bytes: number;
  /** Time for which the reader has stopped the source and that it has not made good, in milliseconds. */
  lateMs: number;
  failure: unknown;
}

interface AnswerFileOptions extends AnswerFileLimits {
  readonly file: FileHandle;
  /** Where the bytes of the file come from; `stepBytes` of it are taken already. */
  readonly space: FileShare;
  /** Ends the source when the last reader has left. */
  readonly endSource: () => void;
}

/** Each slow client holds some pieces in the worker and in its gateway. */
const pieceBytes = 64 * 1024;
/** Pieces that readers at the same position share: a hundred of them read each piece of the file once. */
const recentMax = 16;

/**
 * The bytes of one answer: one source writes them to a file, while any number of readers read them, each at its own pace.
 * A file that cannot grow any further becomes a ring, which overwrites what all readers have read.
 */
export class AnswerFile {
  readonly #options: AnswerFileOptions;
  readonly #readers = new Set<Position>();
  readonly #grown = new Condition();
  readonly #taken = new Condition();
  /** The pieces that were read last, by their positions. */
  readonly #recent = new Map<number, Promise<Buffer>>();
  #written = 0;
  #allocated: number;
  #ringBytes: number | null = null;
  #isComplete = false;
  #isFilled = false;
  #isAbandoned = false;
  #isReleased = false;
  #isClosed = false;
  #failure: unknown = null;

  constructor(options: AnswerFileOptions) {
    this.#options = options;
    this.#allocated = options.stepBytes;
  }

  /** Whether a reader can still read from the beginning. */
  get isReadable(): boolean {
    return this.#ringBytes === null && this.#failure === null && !this.#isAbandoned && !this.#isReleased;
  }

  get isRead(): boolean {
    return this.#readers.size > 0;
  }

  get bytes(): number {
    return this.#written;
  }

  get #isEnded(): boolean {
    return this.#isComplete || this.#failure !== null;
  }

  /** Opens a reader at the beginning. */
  read(): AnswerReader {
    const position: Position = { bytes: 0, lateMs: 0, failure: null };
    this.#readers.add(position);
    const end = () => this.#leave(position);
    const next = async (): Promise<IteratorResult<Uint8Array>> => {
      try {
        const value = await this.#readAt(position);
        if (value) return { done: false, value };
        end();
        return { done: true, value: undefined };
      } catch (error) {
        end();
        throw error;
      }
    };
    const leave = async (): Promise<IteratorResult<Uint8Array>> => {
      end();
      return { done: true, value: undefined };
    };
    return { end, [Symbol.asyncIterator]: () => ({ next, return: leave }) };
  }

  /** Writes all of a source; returns whether the file has the whole answer. Its failure is that of all readers. */
  async fill(source: AsyncIterable<Uint8Array>): Promise<boolean> {
    let writing = Promise.resolve();
    try {
      for await (const piece of source) {
        await writing;
        if (this.#failure !== null) break;
        // The source goes on meanwhile, so that it keeps its turn.
        writing = this.#write(piece).catch((error: unknown) => this.#fail(error));
      }
    } catch (error) {
      this.#fail(error);
    }
    await writing;
    this.#isComplete = this.#failure === null;
    this.#isFilled = true;
    this.#options.space.release(this.#allocated - Math.min(this.#written, this.#allocated));
    this.#allocated = Math.min(this.#written, this.#allocated);
    this.#grown.notifyAll();
    this.#closeUnread();
    return this.#isComplete && this.#ringBytes === null;
  }

  /** Gives the file up: it is closed when its source and its last reader have ended. */
  release(): void {
    this.#isReleased = true;
    this.#closeUnread();
  }

  /** Ends the source, whose answer no client reads. */
  abandon(): void {
    if (this.#isEnded) return;
    this.#isAbandoned = true;
    this.#options.endSource();
    this.#taken.notifyAll();
  }

  async #readAt(position: Position): Promise<Uint8Array | null> {
    for (;;) {
      if (!this.#readers.has(position)) {
        if (position.failure === null) return null;
        throw position.failure;
      }
      if (this.#failure !== null) throw this.#failure;
      const readable = this.#written - position.bytes;
      if (readable > 0) {
        const piece = await this.#pieceAt(position.bytes, readable);
        position.bytes += piece.length;
        position.lateMs -= (piece.length / this.#options.bytesForSecond) * 1_000;
        this.#taken.notifyAll();
        return piece;
      }
      if (this.#isComplete) return null;
      await this.#grown.wait();
    }
  }

  /** Returns the piece at a position, which ends at a whole multiple of its length, so that readers meet there again. */
  #pieceAt(position: number, readable: number): Promise<Buffer> {
    const recent = this.#recent.get(position);
    if (recent) return recent;
    const reading = this.#readPiece(position, Math.min(readable, pieceBytes - (position % pieceBytes)));
    this.#recent.set(position, reading);
    reading.catch(() => this.#recent.delete(position));
    for (const oldest of this.#recent.keys()) {
      if (this.#recent.size <= recentMax) break;
      this.#recent.delete(oldest);
    }
    return reading;
  }

  async #readPiece(position: number, length: number): Promise<Buffer> {
    const { offset, contiguous } = this.#locate(position);
    const piece = Buffer.allocUnsafeSlow(Math.min(length, contiguous));
    const { bytesRead } = await this.#options.file.read(piece, 0, piece.length, offset);
    if (bytesRead === 0) throw new VcsError('failed', 'a file of answers is shorter than what was written to it');
    return piece.subarray(0, bytesRead);
  }

  #leave(position: Position): void {
    if (!this.#readers.delete(position)) return;
    if (this.#readers.size === 0) this.#recent.clear();
    this.#grown.notifyAll();
    this.#taken.notifyAll();
    if (this.#readers.size === 0) this.abandon();
    this.#closeUnread();
  }

  #fail(error: unknown): void {
    this.#failure ??= error ?? new VcsError('failed', 'no answer');
    this.#grown.notifyAll();
    this.#taken.notifyAll();
    this.#options.endSource();
  }

  async #write(piece: Uint8Array): Promise<void> {
    for (let at = 0; at < piece.length;) {
      const free = await this.#waitForFree();
      const length = Math.min(free, piece.length - at);
      const { offset } = this.#locate(this.#written);
      const { bytesWritten } = await this.#options.file.write(piece, at, length, offset);
      at += bytesWritten;
      this.#written += bytesWritten;
      this.#grown.notifyAll();
    }
  }

  /** Returns where a byte of the answer is in the file, and how many more follow it there. */
  #locate(position: number): { readonly offset: number; readonly contiguous: number } {
    const ring = this.#ringBytes;
    if (ring === null) return { offset: position, contiguous: Infinity };
    const offset = position % ring;
    return { offset, contiguous: ring - offset };
  }

  /** Waits until bytes may be written; returns how many. */
  async #waitForFree(): Promise<number> {
    const { aheadBytes } = this.#options;
    for (;;) {
      if (this.#isAbandoned || this.#failure !== null)
        throw new VcsError('cancelled', 'nobody reads the answer any more');
      const positions = [...this.#readers].map(({ bytes }) => bytes);
      const isAhead = this.#written - Math.max(0, ...positions) >= aheadBytes;
      const free = isAhead ? 0 : this.#free(Math.min(...positions));
      if (free > 0) return free;
      // The ring is full. No reader is late while all have something to read.
      if (isAhead || !positions.includes(this.#written)) await this.#taken.wait();
      else await this.#waitForLate();
    }
  }

  /** Waits while late readers stop the source for others, and cuts off those that have done so for too long. */
  async #waitForLate(): Promise<void> {
    const { lateMsMax } = this.#options;
    const late = this.#lateReaders();
    // Bytes that were read before count for the time before.
    for (const position of late) position.lateMs = Math.max(0, position.lateMs);
    const begun = performance.now();
    const msLeft = lateMsMax - Math.max(0, ...late.map(({ lateMs }) => lateMs));
    await withTimeout(this.#taken.wait(), msLeft, () => {});
    const waitedMs = performance.now() - begun;
    for (const position of late) {
      position.lateMs += waitedMs;
      if (position.lateMs < lateMsMax) continue;
      position.failure = new VcsError('timeout', 'the reader was too far behind the others');
      this.#leave(position);
    }
  }

  /** Returns the readers in the older half of a full ring: the slowest one, and those that would stop the source next. */
  #lateReaders(): Position[] {
    const half = (this.#ringBytes ?? 0) / 2;
    return [...this.#readers].filter(({ bytes }) => this.#written - bytes > half);
  }

  /** Returns how many bytes may be written; 0 until the slowest reader goes on. */
  #free(slowest: number): number {
    const { space, stepBytes } = this.#options;
    if (this.#ringBytes === null && this.#written === this.#allocated) {
      if (space.take(stepBytes)) this.#allocated += stepBytes;
      else this.#ringBytes = this.#allocated;
    }
    if (this.#ringBytes === null) return this.#allocated - this.#written;
    return Math.min(this.#locate(this.#written).contiguous, slowest + this.#ringBytes - this.#written);
  }

  #closeUnread(): void {
    if (!this.#isReleased || !this.#isFilled || this.#readers.size > 0 || this.#isClosed) return;
    this.#isClosed = true;
    this.#options.space.release(this.#allocated);
    this.#options.file.close().catch(() => {});
  }
}
