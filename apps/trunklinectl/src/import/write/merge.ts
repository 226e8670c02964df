import type { ImportedParts } from '@trunkline/db';
import type { Digests } from './secrets.ts';

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

/** A part of an object: as the source has it, by ids of the source, and as it would be written here. */
export interface Part {
  readonly source: unknown;
  readonly here: unknown;
  /** Whether it could be guessed by a digest without a key. */
  readonly isSecret?: boolean;
  /** Whether what is null here counts as never set. */
  readonly fillsNull?: boolean;
}

export type Parts = Readonly<Record<string, Part>>;

export interface Merge {
  /** Parts that have changed in the source alone: they are written. */
  readonly apply: Set<string>;
  /** Parts that have changed in the source and here: what is here stays. */
  readonly kept: string[];
  readonly digests: ImportedParts['digests'];
}

/** Returns the digests of parts that are all written. */
export function digestParts(digests: Digests, parts: Parts): ImportedParts['digests'] {
  return Object.fromEntries(
    Object.entries(parts).map(([name, { source, here, isSecret = false }]) => [
      name,
      [digests.of(source, isSecret), digests.of(here, isSecret)] as const,
    ]),
  );
}

/**
 * Compares what the source has with what it had when each part was last brought, and what is here with what was written
 * then. `readHere` is called only when something has changed in the source; it may leave out parts.
 */
export async function mergeParts(
  digests: Digests,
  before: ImportedParts['digests'],
  parts: Parts,
  readHere: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<Merge> {
  const changed = Object.entries(parts).filter(([name, { source, isSecret = false }]) => {
    const former = before[name]?.[0];
    return former === undefined || !digests.match(source, former, isSecret);
  });
  if (changed.length === 0) return { apply: new Set(), kept: [], digests: before };
  const here = await readHere();
  const apply = new Set<string>();
  const kept: string[] = [];
  const brought: Record<string, Part> = {};
  for (const [name, part] of changed) {
    const former = before[name]?.[1];
    const isSame = JSON.stringify(here[name]) === JSON.stringify(part.here);
    const isUnset = part.fillsNull === true && here[name] === null;
    const isBrought = former !== undefined && digests.match(here[name], former, part.isSecret ?? false);
    if (!isSame && !isUnset && !isBrought) {
      kept.push(name);
      continue;
    }
    if (!isSame) apply.add(name);
    brought[name] = part;
  }
  return { apply, kept, digests: { ...before, ...digestParts(digests, brought) } };
}

/** Returns what the source has added to a list and removed from it since it was last brought. */
export function changeOfList(before: readonly string[] | undefined, now: readonly string[]) {
  const [former, present] = [new Set(before), new Set(now)];
  return {
    added: [...present].filter((entry) => !former.has(entry)),
    removed: [...former].filter((entry) => !present.has(entry)),
  };
}
