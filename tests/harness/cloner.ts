import { rm } from 'node:fs/promises';
import type { PushingClient } from './pusher.ts';

/** Reads after which a client clones anew. */
const readsOfClone = 4;

/**
 * A client that clones a repository and fetches what another client pushes. What it has read whole must have all that
 * the other one was told before.
 */
export class CloningClient {
  readonly faults: string[] = [];
  /** What clients said of clones and fetches that failed. */
  readonly failures: string[] = [];
  /** Number of clones and fetches that succeeded. */
  succeeded = 0;
  readonly #source: PushingClient;
  readonly #path: string;
  #reads = 0;
  #isCloned = false;

  constructor(source: PushingClient, path: string) {
    this.#source = source;
    this.#path = path;
  }

  /** Clones or fetches. */
  async act(): Promise<void> {
    const { tool, target, lastTold } = this.#source;
    const url = target.urls[this.#reads % target.urls.length] ?? target.urls[0];
    this.#reads += 1;
    if (this.#reads % readsOfClone === 0) this.#isCloned = false;
    try {
      await (this.#isCloned ? tool.fetch(this.#path, url) : this.#clone(url));
    } catch (error) {
      this.failures.push(String(error));
      return;
    }
    this.#isCloned = true;
    this.succeeded += 1;
    if (lastTold === undefined) return;
    await tool.find(this.#path, lastTold).catch((error: unknown) => {
      this.faults.push(`a clone of ${target.name} lacks ${lastTold}: ${String(error)}`);
    });
  }

  async #clone(url: string): Promise<void> {
    await rm(this.#path, { recursive: true, force: true });
    await this.#source.tool.clone(url, this.#path);
  }

  /** Finds what the clone lacked, and what is wrong with it now. */
  async findFaults(): Promise<string[]> {
    if (!this.#isCloned) return this.faults;
    const damage = await this.#source.tool.verify(this.#path).then(
      () => [],
      (error: unknown) => [String(error)],
    );
    return [...this.faults, ...damage];
  }
}
