import { SingleFlight, withTimeout } from '@trunkline/runtime/concurrency';

export interface FiguresTools<Figures> {
  readonly read: () => Promise<Figures>;
  readonly now?: () => number;
}

/** Time for which figures are kept, and for which a scrape waits for new ones. */
const freshMs = 5_000;
const waitMsMax = 2_000;

/**
 * Returns a function that reads figures of the database for scrapes: seldom, one read at a time, and null when the
 * database does not answer in time, so that the other metrics of the scrape come without them.
 */
export function keptFigures<Figures>({
  read,
  now = () => performance.now(),
}: FiguresTools<Figures>): () => Promise<Figures | null> {
  const reads = new SingleFlight<Figures | null>();
  let kept: { readonly at: number; readonly figures: Figures | null } | undefined;
  const readNow = async () => {
    const figures = await read().catch(() => null);
    kept = { at: now(), figures };
    return figures;
  };
  return async () => {
    if (kept && now() - kept.at < freshMs) return kept.figures;
    return withTimeout(reads.run('figures', readNow), waitMsMax, () => null);
  };
}
