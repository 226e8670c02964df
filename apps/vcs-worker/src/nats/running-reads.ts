import { splitSignature, UnavailableError } from '@trunkline/contracts';
import { isOneOf, type SecretVault } from '@trunkline/db';

/** The reads that this worker runs, by request id, so that a gateway can end those whose client has gone. */
export class RunningReads {
  readonly #vault: Pick<SecretVault, 'hmacs'>;
  /** A hedged read may run twice on one worker. */
  readonly #controllers = new Map<string, Set<AbortController>>();

  constructor(vault: Pick<SecretVault, 'hmacs'>) {
    this.#vault = vault;
  }

  /** Adds a read; its signal aborts when the read is cancelled. `end` has to be called at its end. */
  begin(requestId: string): { readonly signal: AbortSignal; end(): void } {
    const controller = new AbortController();
    const sameId = this.#controllers.get(requestId) ?? new Set();
    this.#controllers.set(requestId, sameId.add(controller));
    return {
      signal: controller.signal,
      end: () => {
        sameId.delete(controller);
        if (sameId.size === 0) this.#controllers.delete(requestId);
      },
    };
  }

  /** Ends the read that a signed message names; every worker gets the messages, and ignores those for other workers. */
  cancel(message: Uint8Array): void {
    const { signature, body } = splitSignature(message);
    const controllers = this.#controllers.get(Buffer.from(body).toString());
    if (!controllers || !isOneOf(signature, this.#vault.hmacs('bus cancellation', body))) return;
    const reason = new UnavailableError({ cause: new Error('the client has gone') });
    for (const controller of controllers) controller.abort(reason);
  }
}
