import { createInbox, nuid, type Msg, type NatsConnection, type NatsError, type Subscription } from 'nats';
import type { Logger } from '../logger.ts';
import { BusError, type BusErrorReason } from './bus-error.ts';

export interface PendingRequest {
  readonly subject: string;
  /** Takes the reply; the request is pending no more. */
  readonly take: (message: Msg) => void;
  /** Takes the reason why there will be no reply; the request is pending no more. */
  readonly fail: (error: BusError) => void;
}

interface Inboxes {
  readonly nc: NatsConnection;
  readonly inboxPrefix: string;
  readonly logger: Logger;
  /** Takes a reply whose request has failed before. */
  readonly takeLate: (message: Msg) => void;
}

/**
 * The requests of one connection that wait for their replies, which all come over one subscription. The NATS client has
 * the same, but makes an error with a stack for each request, also for those that succeed.
 */
export class PendingRequests {
  readonly #inboxes: Inboxes;
  readonly #base: string;
  readonly #pending = new Map<string, PendingRequest>();
  #subscription: Subscription | undefined;

  constructor(inboxes: Inboxes) {
    this.#inboxes = inboxes;
    this.#base = `${createInbox(inboxes.inboxPrefix)}.`;
  }

  /** Adds a request; returns the subject for its reply, and a function that gives the reply up. */
  add(request: PendingRequest): { readonly inbox: string; readonly giveUp: () => void } {
    this.#subscribe();
    const token = nuid.next();
    this.#pending.set(token, request);
    return { inbox: this.#base + token, giveUp: () => void this.#pending.delete(token) };
  }

  /** Fails all requests to a subject, or all there are. */
  failAll(reason: BusErrorReason, subject?: string): void {
    for (const [token, request] of this.#pending) {
      if (subject !== undefined && request.subject !== subject) continue;
      this.#pending.delete(token);
      try {
        request.fail(new BusError(reason));
      } catch (error) {
        this.#inboxes.logger.error({ err: error }, 'the loss of a reply could not be told');
      }
    }
  }

  /** Subscribes to the replies, with the first request; again when the server has refused the subscription. */
  #subscribe(): void {
    if (this.#subscription && !this.#subscription.isClosed()) return;
    const { nc } = this.#inboxes;
    this.#subscription = nc.subscribe(`${this.#base}*`, {
      callback: (error, message) => (error ? this.#refused(error) : this.#take(message)),
    });
  }

  #refused(error: NatsError): void {
    this.#inboxes.logger.error({ err: error }, 'the bus refuses replies');
    this.failAll('lost');
  }

  #take(message: Msg): void {
    const token = message.subject.slice(this.#base.length);
    const request = this.#pending.get(token);
    this.#pending.delete(token);
    try {
      if (request) request.take(message);
      else this.#inboxes.takeLate(message);
    } catch (error) {
      this.#inboxes.logger.error({ err: error }, 'reply could not be taken');
    }
  }
}
