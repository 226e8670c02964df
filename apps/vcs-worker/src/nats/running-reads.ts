import { splitSignature, UnavailableError } from '@trunkline/contracts';
import { isOneOf, type SecretVault } from '@trunkline/db';
import { LRUCache } from 'lru-cache';

/** Cancellations of reads that have not begun are kept for longer than a call waits for its slot, in milliseconds. */
const keptMs = 1_000;
const keptMax = 10_000;

const clientHasGone = () => new UnavailableError({ cause: new Error('the client has gone') });

/** The reads that this worker runs, by request id, so that a gateway can end those whose client has gone. */
export class RunningReads {
  readonly #vault: Pick<SecretVault, 'hmacs'>;
  /** A hedged read may run twice on one worker. */
  readonly #controllers = new Map<string, Set<AbortController>>();
  /** Ids of cancelled reads that this worker did not run: one of them may still wait for its slot. */
  readonly #cancelled = new LRUCache<string, true>({ max: keptMax, ttl: keptMs });

  constructor(vault: Pick<SecretVault, 'hmacs'>) {
    this.#vault = vault;
  }

  /**
   * Adds a read; its signal aborts when the read is cancelled, at once if it has been before. `end` has to be called at
   * its end.
   */
  begin(requestId: string): { readonly signal: AbortSignal; end(): void } {
    const controller = new AbortController();
    const sameId = this.#controllers.get(requestId) ?? new Set();
    this.#controllers.set(requestId, sameId.add(controller));
    if (this.#cancelled.has(requestId)) controller.abort(clientHasGone());
    return {
      signal: controller.signal,
      end: () => {
        sameId.delete(controller);
        if (sameId.size === 0) this.#controllers.delete(requestId);
      },
    };
  }

  /** Returns which of these reads this worker runs. */
  among(requestIds: readonly string[]): readonly string[] {
    return requestIds.filter((id) => this.#controllers.has(id));
  }

  /** Ends the read that a signed message names; every worker gets the messages, also those for other workers. */
  cancel(message: Uint8Array): void {
    const { signature, body } = splitSignature(message);
    if (!isOneOf(signature, this.#vault.hmacs('bus cancellation', body))) return;
    const requestId = Buffer.from(body).toString();
    const controllers = this.#controllers.get(requestId);
    if (!controllers) this.#cancelled.set(requestId, true);
    else for (const controller of controllers) controller.abort(clientHasGone());
  }
}
