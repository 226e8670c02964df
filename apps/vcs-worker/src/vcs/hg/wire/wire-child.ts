import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { endableStream } from '../../process/endable-stream.ts';
import { processMemory } from '../../process/group-memory.ts';
import { lowerPriority } from '../../process/lower-priority.ts';
import { memoryBudget } from '../../process/memory-budget.ts';
import { toolFailure } from '../../process/tool-failure.ts';
import { VcsError } from '../../vcs-error.ts';
import { encodeRequest, wireMessages, type WireMessage } from './wire-messages.ts';
import { NoChildError, type WireServer } from './wire-server.ts';

/** Timeout for the next output while the client waits. */
const outputMsMax = 60_000;
/** What a child copies of the memory that it shares with its parent, by writing to it. */
const copiedBytes = 8 * 1024 * 1024;

/** A child of the fork server, which answers one request. It is killed when its connection is destroyed. */
export class WireChild {
  readonly #socket: Socket;
  readonly #noteUnreadable: (error: unknown) => void;
  readonly #messages: AsyncGenerator<WireMessage, void, undefined>;
  #failure: unknown;

  private constructor(socket: Socket, noteUnreadable: (error: unknown) => void) {
    this.#socket = socket;
    this.#noteUnreadable = noteUnreadable;
    this.#messages = wireMessages(socket as AsyncIterable<Buffer>);
  }

  /** Connects to a server; throws NoChildError when it forks no child. */
  static async open(server: WireServer, noteUnreadable: (error: unknown) => void): Promise<WireChild> {
    const shared = server.sharedBytes;
    const child = new WireChild(await server.connect(), noteUnreadable);
    try {
      const { kind, data } = await child.#next();
      if (kind !== 'p') throw new Error(`an answer that begins with ${kind}`);
      child.#watch(Number(data.toString('latin1')), server, shared);
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

  #watch(pid: number, { diesWithWorker }: WireServer, sharedBytes: number): void {
    const ended = new AbortController();
    const measure = () => Math.max(0, processMemory(pid) - sharedBytes) + copiedBytes;
    const uncount = memoryBudget.add({ pid, measure, stop: (error) => this.end(error) });
    this.#socket.once('close', () => {
      ended.abort();
      uncount();
    });
    lowerPriority({ pid, ended: ended.signal, diesWithWorker });
  }

  async *#output(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) {
        const { kind, data } = await this.#next();
        if (kind === 'z') return;
        if (kind === 'o') yield data;
        else if (kind === 'w') this.#noteUnreadable(toolFailure('hg has told its client', data.toString()));
        else throw new VcsError('failed', `an unexpected message: ${kind}`);
      }
    } finally {
      this.end(null);
    }
  }

  async #next(): Promise<WireMessage> {
    const timer = this.#limitWait();
    try {
      return await this.#read();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the child unless the returned timer is cleared. */
  #limitWait(): NodeJS.Timeout {
    return setTimeout(() => this.end(new VcsError('timeout', `nothing for ${outputMsMax} ms`)), outputMsMax);
  }

  async #read(): Promise<WireMessage> {
    try {
      const next = await this.#messages.next();
      if (next.done === true) throw new VcsError('failed', 'the child has ended without an answer');
      if (next.value.kind === 'e') throw toolFailure('hg did not answer', next.value.data.toString());
      return next.value;
    } catch (error) {
      throw this.#failure ?? error;
    }
  }
}
