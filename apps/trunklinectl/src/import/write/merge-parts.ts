import type { ImportedParts } from '@trunkline/db';
import type { Digests } from './digests.ts';

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
