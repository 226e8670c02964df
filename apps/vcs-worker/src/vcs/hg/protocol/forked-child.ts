import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { endableStream } from '../../process/endable-stream.ts';
import { lowerPriority } from '../../process/lower-priority.ts';
import { memoryBudget } from '../../process/memory-budget.ts';
import { processMemory, watchWrites } from '../../process/process-usage.ts';
import { killedBy, toolFailure } from '../../process/tool-failure.ts';
import { VcsError } from '../../vcs-error.ts';
import { encodeRequest, childMessages, withLength, type ChildMessage } from './child-messages.ts';
import { NoChildError, type ForkServer } from './fork-server.ts';

/** Timeout for the next output of a child that reads. */
const outputMsMaxDefault = 60_000;
/** Bytes of the answer to a push. */
const replyBytesMax = 1024 * 1024;
/** Time in which the end of a server is known after that of its children. */
const lossMsMax = 200;
/** What a child copies of the memory that it shares with its parent, by writing to it. */
const copiedBytes = 8 * 1024 * 1024;

/** What has become of a push. */
export interface PushOutcome {
  /** Type and bytes of the answer to its client; null for one that is too long. */
  readonly type: string;
  readonly reply: Buffer | null;
  readonly isVisible: boolean;
  /** Why it was refused, for its client; null when it was not. */
  readonly failure: string | null;
}

export interface ChildOptions {
  readonly onUnreadable: (error: unknown) => void;
  /** Called when the answer, which ends as any other, tells the client of a failure. */
  readonly onRefusal?: () => void;
  /** Timeout for the next output while the client waits. */
  readonly outputMsMax?: number;
  /** Limit of what the child may write. */
  readonly writtenBytesMax?: number;
  /** Ends the child when it aborts. */
  readonly signal?: AbortSignal;
}

/** Throws ToolFailure for the exit code of a command that has failed, which its last message begins with. */
function requireSuccess(data: Buffer): void {
  const exitCode = data.readInt32BE();
  if (exitCode !== 0) throw toolFailure(`the command ended with ${exitCode}`, data.toString('utf8', 4), exitCode);
}

/** A child of the fork server, which answers one request. It is killed when its connection is destroyed. */
export class ForkedChild {
  readonly #socket: Socket;
  readonly #server: ForkServer;
  readonly #onUnreadable: (error: unknown) => void;
  readonly #onRefusal: () => void;
  readonly #outputMsMax: number;
  readonly #messages: AsyncGenerator<ChildMessage, void, undefined>;
  #failure: unknown;

  private constructor(
    socket: Socket,
    server: ForkServer,
    { onUnreadable, onRefusal = () => {}, outputMsMax = outputMsMaxDefault }: ChildOptions,
  ) {
    this.#socket = socket;
    this.#server = server;
    this.#onUnreadable = onUnreadable;
    this.#onRefusal = onRefusal;
    this.#outputMsMax = outputMsMax;
    this.#messages = childMessages(socket as AsyncIterable<Buffer>);
  }

  /** Connects to a server; throws NoChildError when it forks no child. */
  static async open(server: ForkServer, options: ChildOptions): Promise<ForkedChild> {
    const shared = server.sharedBytes;
    const child = new ForkedChild(await server.connect(), server, options);
    try {
      if (options.signal) child.endWith(options.signal);
      const { kind, data } = await child.#next();
      if (kind !== 'p') throw new Error(`an answer that begins with ${kind}`);
      const pid = Number(data.toString('latin1'));
      child.#watch(pid, shared);
      child.#limitWrites(pid, options.writtenBytesMax ?? Infinity);
      return child;
    } catch (error) {
      child.end(error);
      throw new NoChildError(error);
    }
  }

  /** Sends the request; returns the media type of the answer. */
  async ask(head: object, args: AsyncIterable<Uint8Array>): Promise<string> {
    const pieces = Readable.from(encodeRequest(head, args), { objectMode: false });
    let timer: NodeJS.Timeout | undefined;
    const sent = pipeline(pieces, this.#socket, { end: false }).then(
      () => (timer = this.#limitWait()),
      (error: unknown) => this.end(error),
    );
    try {
      // A child may refuse a request before it has read all of it.
      const { kind, data } = await this.#read();
      if (kind !== 't') throw new VcsError('failed', `an answer without a type: ${kind}`);
      return data.toString('latin1');
    } catch (error) {
      this.end(error);
      throw error;
    } finally {
      await sent;
      clearTimeout(timer);
    }
  }

  /** Returns the rest of the answer; a reader that stops early ends the child. */
  output(signal: AbortSignal): AsyncIterable<Uint8Array> {
    return endableStream((ended) => {
      this.endWith(ended);
      return this.#output();
    }, signal);
  }

  /** Sends a push. The child asks `mayChange` before anything becomes visible, which throws to end it. */
  async push(head: object, args: AsyncIterable<Uint8Array>, mayChange: () => Promise<void>): Promise<PushOutcome> {
    try {
      for await (const piece of encodeRequest(head, args)) this.#socket.write(piece);
      return await this.#outcome(mayChange);
    } finally {
      this.end(null);
    }
  }

  async #outcome(mayChange: () => Promise<void>): Promise<PushOutcome> {
    const pieces: Buffer[] = [];
    let [type, bytes, isVisible]: [string, number, boolean] = ['', 0, false];
    let failure: string | null = null;
    for (;;) {
      const { kind, data } = await this.#next();
      if (kind === 'z') {
        const reply = bytes > replyBytesMax ? null : Buffer.concat(pieces);
        return { type, reply, isVisible, failure };
      }
      if (kind === 'q') {
        await mayChange();
        this.#socket.write(withLength(Buffer.from('go')));
      } else if (kind === 't') type = data.toString('latin1');
      else if (kind === 'c') isVisible = true;
      else if (kind === 'f') failure = data.toString('utf8');
      else if (kind === 'o') {
        bytes += data.length;
        // A part of an answer would be none.
        if (bytes > replyBytesMax) pieces.length = 0;
        else pieces.push(data);
      } else throw new VcsError('failed', `an unexpected message: ${kind}`);
    }
  }

  /** Ends the child when a signal aborts. */
  endWith(signal: AbortSignal): void {
    const cancel = () => this.end(new VcsError('cancelled', 'cancelled', { cause: signal.reason }));
    if (signal.aborted) return cancel();
    signal.addEventListener('abort', cancel, { once: true });
    this.#socket.once('close', () => signal.removeEventListener('abort', cancel));
  }

  end(error: unknown): void {
    this.#failure ??= error;
    this.#socket.destroy();
  }

  #watch(pid: number, sharedBytes: number): void {
    const server = this.#server;
    const ended = new AbortController();
    const measure = () => Math.max(0, processMemory(pid) - sharedBytes) + copiedBytes + server.shareOfChild;
    const uncount = memoryBudget.add({ pid, measure, stop: (error) => this.end(error) });
    this.#socket.once('close', () => {
      ended.abort();
      uncount();
    });
    lowerPriority(pid, ended.signal);
  }

  #limitWrites(pid: number, bytesMax: number): void {
    const exceeded = () => this.end(new VcsError('too-large', `more than ${bytesMax} bytes written`));
    this.#socket.once('close', watchWrites(pid, bytesMax, exceeded));
  }

  async *#output(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) {
        const { kind, data } = await this.#next();
        if (kind === 'z') return;
        if (kind === 'x') return requireSuccess(data);
        if (kind === 'o') yield data;
        else if (kind === 'w') {
          this.#onUnreadable(toolFailure('hg has told its client', data.toString()));
          this.#onRefusal();
        } else throw new VcsError('failed', `an unexpected message: ${kind}`);
      }
    } finally {
      this.end(null);
    }
  }

  async #next(): Promise<ChildMessage> {
    const timer = this.#limitWait();
    try {
      return await this.#read();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the child unless the returned timer is cleared. */
  #limitWait(): NodeJS.Timeout {
    const late = () => this.end(new VcsError('timeout', `nothing for ${this.#outputMsMax} ms`));
    return setTimeout(late, this.#outputMsMax);
  }

  async #read(): Promise<ChildMessage> {
    try {
      const next = await this.#messages.next();
      if (next.done === true) throw new Error('the child has ended without an answer');
      const { kind, data } = next.value;
      if (kind === 'e') throw toolFailure('hg did not answer', data.toString());
      if (kind === 'k') throw killedBy(data.toString()) ?? toolFailure('the child has crashed', data.toString());
      return next.value;
    } catch (error) {
      throw this.#failure ?? (error instanceof VcsError ? error : await this.#lossBy(error));
    }
  }

  /** Returns why the connection has ended: with the server, whose end is known a moment later, or with the child alone. */
  async #lossBy(cause: unknown): Promise<VcsError> {
    const loss = await this.#server.lossWithin(lossMsMax);
    return loss ?? new VcsError('failed', 'the child of the fork server was lost', { cause });
  }
}
