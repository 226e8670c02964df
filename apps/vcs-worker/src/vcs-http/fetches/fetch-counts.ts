import type { CallMetrics, Logger } from '@trunkline/runtime';
import { withTimeout } from '@trunkline/runtime/concurrency';
import { Counter } from 'prom-client';

/** How many clones and fetches of one user from one repository are to be recorded. */
export interface FetchCount {
  readonly userId: number;
  readonly repositoryId: number;
  readonly count: number;
}

interface FetchCountsOptions {
  /** Adds the counts to those of the last ten minutes. */
  readonly record: (counts: readonly FetchCount[]) => Promise<void>;
  readonly logger: Pick<Logger, 'warn'>;
  /** Maximum number of counts in memory; further ones are not recorded. */
  readonly entriesMax?: number;
}

interface CountedFetch {
  /** Null for a client without a login, which is counted by the metrics alone. */
  readonly userId: number | null;
  readonly repositoryId: number;
  readonly system: 'git' | 'hg';
}

const entriesMaxDefault = 2_000;
const recordAfterMs = 1_000;
const closeMsMax = 1_000;

/** Counts clones and fetches, and records the counts of a second by one statement. A killed worker loses its counts. */
export class FetchCounts {
  /** Counts since the start of the process, by system and kind of caller. */
  readonly figures = { git: { user: 0, anonymous: 0 }, hg: { user: 0, anonymous: 0 } };
  readonly #record: FetchCountsOptions['record'];
  readonly #logger: FetchCountsOptions['logger'];
  readonly #entriesMax: number;
  #counts = new Map<string, FetchCount>();
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #recording: Promise<void> | undefined;

  constructor({ record, logger, entriesMax = entriesMaxDefault }: FetchCountsOptions) {
    this.#record = record;
    this.#logger = logger;
    this.#entriesMax = entriesMax;
  }

  count({ userId, repositoryId, system }: CountedFetch): void {
    this.figures[system][userId === null ? 'anonymous' : 'user'] += 1;
    if (userId === null) return;
    this.#add({ userId, repositoryId, count: 1 });
    this.#timer ??= setTimeout(() => void this.flush(), recordAfterMs);
  }

  /** Records the counts, and after a failure tries again a second later. Never rejects. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#recording;
    if (this.#counts.size === 0) return;
    this.#recording ??= this.#recordAll().finally(() => (this.#recording = undefined));
    await this.#recording;
  }

  /** Records what was counted, within a second. */
  async close(): Promise<void> {
    await withTimeout(this.flush(), closeMsMax, () => {});
    clearTimeout(this.#timer);
  }

  #add(added: FetchCount): void {
    const key = `${added.userId} ${added.repositoryId}`;
    const known = this.#counts.get(key);
    if (known) this.#counts.set(key, { ...known, count: known.count + added.count });
    else if (this.#counts.size < this.#entriesMax) this.#counts.set(key, added);
    else this.#dropped += added.count;
  }

  async #recordAll(): Promise<void> {
    const counts = [...this.#counts.values()];
    this.#counts = new Map();
    try {
      await this.#record(counts);
    } catch (error) {
      this.#logger.warn({ err: error }, 'clones and fetches could not be recorded, and are recorded later');
      for (const one of counts) this.#add(one);
      this.#timer ??= setTimeout(() => void this.flush(), recordAfterMs);
    }
    if (this.#dropped === 0) return;
    this.#logger.warn({ dropped: this.#dropped }, 'clones and fetches of too many users are not recorded');
    this.#dropped = 0;
  }
}

/** Registers the metric of clones and fetches. */
export function observeFetches(registry: CallMetrics['registry'], { figures }: Pick<FetchCounts, 'figures'>): void {
  registry.registerMetric(
    new Counter({
      name: 'trunkline_client_fetches_total',
      help: 'Answers that brought changesets to clients of git and Mercurial, by users or without a login',
      labelNames: ['system', 'caller'],
      registers: [],
      collect() {
        this.reset();
        for (const system of ['git', 'hg'] as const) {
          for (const caller of ['user', 'anonymous'] as const) this.inc({ system, caller }, figures[system][caller]);
        }
      },
    }),
  );
}
