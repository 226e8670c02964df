/** A number for each of some holders of rights, such as the level of each on one object. */
export type Pairs = Readonly<Record<string, number>>;

export interface PairMerge {
  /** Pairs that have changed in the source alone: they are written, null for one that goes. */
  readonly apply: Map<string, number | null>;
  /** Pairs that have changed in the source and here: what is here stays. */
  readonly kept: string[];
  /** What the next import compares the source with. */
  readonly pairs: Record<string, number>;
}

/** Is recorded for a pair of which nothing is known of the last import: it equals nothing that a source has. */
export const unknownPair = -1;

/**
 * Compares each pair three ways: what the source has, what it had when the pair was last brought, and what is here.
 * Without `before` nothing is known of the last import: what differs here stays. Holders that are gone here have no
 * pair, whatever the source says of them.
 */
export function mergePairs(
  before: Pairs | undefined,
  source: Pairs,
  here: Pairs,
  isThere: (key: string) => boolean,
): PairMerge {
  const merge: PairMerge = { apply: new Map(), kept: [], pairs: {} };
  const record = (key: string, value: number | null) => {
    if (value !== null) merge.pairs[key] = value;
  };
  for (const key of new Set([...Object.keys(before ?? here), ...Object.keys(source)])) {
    const former = before ? (before[key] ?? null) : unknownPair;
    const [wanted, present] = [source[key] ?? null, here[key] ?? null];
    if (wanted === former || present === wanted || !isThere(key)) record(key, wanted);
    else if (present === former) {
      merge.apply.set(key, wanted);
      record(key, wanted);
    } else {
      merge.kept.push(key);
      record(key, former);
    }
  }
  return merge;
}

/** Leaves pairs as they are here that were to be written. */
export function keepPairs(merge: PairMerge, before: Pairs | undefined, keys: readonly string[]): void {
  for (const key of keys.filter((one) => merge.apply.delete(one))) {
    merge.kept.push(key);
    const former = before?.[key];
    if (former === undefined) delete merge.pairs[key];
    else merge.pairs[key] = former;
  }
}
