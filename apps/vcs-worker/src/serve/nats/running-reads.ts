import { splitSignature, UnavailableError } from '@trunkline/contracts';
import { isOneOf, type SecretVault } from '@trunkline/db';
import { LRUCache } from 'lru-cache';

/** Cancellations of reads that have not begun are kept for longer than a call waits for its slot, in milliseconds. */
const keptMs = 1_000;
const keptMax = 10_000;

const clientHasGone = () => new UnavailableError({ cause: new Error('the client has gone') });

type AbortRead = (reason: Error) => void;

/** The reads that this worker runs, by request id, so that a gateway can end those whose client has gone. */
export class RunningReads {
  readonly #vault: Pick<SecretVault, 'hmacs'>;
  /** A read that was sent again may run twice on one worker. */
  readonly #running = new Map<string, Set<AbortRead>>();
  /** Ids of cancelled reads that this worker did not run: one of them may still wait for its slot. */
  readonly #cancelled = new LRUCache<string, true>({ max: keptMax, ttl: keptMs });

  constructor(vault: Pick<SecretVault, 'hmacs'>) {
    this.#vault = vault;
  }

  /**
   * Adds a read; `abort` is called when the read is cancelled, at once if it has been before. The returned function has
   * to be called at its end.
   */
  begin(requestId: string, abort: AbortRead): () => void {
    // An entry of its own: the same function may be given twice.
    const entry: AbortRead = (reason) => abort(reason);
    const sameId = this.#running.get(requestId) ?? new Set();
    this.#running.set(requestId, sameId.add(entry));
    if (this.#cancelled.has(requestId)) abort(clientHasGone());
    return () => {
      sameId.delete(entry);
      if (sameId.size === 0) this.#running.delete(requestId);
    };
  }

  /** Returns which of these reads this worker runs. */
  among(requestIds: readonly string[]): readonly string[] {
    return requestIds.filter((id) => this.#running.has(id));
  }

  /** Ends the read that a signed message names; every worker gets the messages, also those for other workers. */
  cancel(message: Uint8Array): void {
    const { signature, body } = splitSignature(message);
    if (!isOneOf(signature, this.#vault.hmacs('bus cancellation', body))) return;
    const requestId = Buffer.from(body).toString();
    const running = this.#running.get(requestId);
    if (!running) this.#cancelled.set(requestId, true);
    else for (const abort of running) abort(clientHasGone());
  }
}
