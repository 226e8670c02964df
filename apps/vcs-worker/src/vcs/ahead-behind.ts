import type { VcsReads } from './backend.ts';
import { VcsError } from './vcs-error.ts';

/** How many changesets only the one side reaches, and how many only the other one. */
export interface AheadBehind {
  readonly ahead: number;
  readonly behind: number;
}

/** Which of some changesets reach another one: a bit for each, and one for the base. */
type Reach = bigint;

/** Changesets that were named as parents and have not come yet: a history with more of them side by side is given up. */
const waitingMax = 200_000;
/** After so many different sets of changesets, what was counted of them is added up. */
const setsMax = 10_000;

/** Counts on the way through a history what some changesets reach and the base does not, and the other way round. */
class Counts {
  readonly #ids: readonly string[];
  readonly #base: Reach;
  readonly #all: Reach;
  readonly #waiting = new Map<string, Reach>();
  /** How many of those that wait are not reached by all. */
  #open = 0;
  #bySet = new Map<Reach, number>();
  readonly #ahead: number[];
  readonly #behind: number[];

  constructor(base: string, ids: readonly string[]) {
    this.#ids = ids;
    this.#base = 1n << BigInt(ids.length);
    this.#all = (this.#base << 1n) - 1n;
    this.#ahead = ids.map(() => 0);
    this.#behind = ids.map(() => 0);
    this.#reach(base, this.#base);
    for (const [index, id] of ids.entries()) this.#reach(id, 1n << BigInt(index));
  }

  get isEnded(): boolean {
    return this.#open === 0;
  }

  get isTooWide(): boolean {
    return this.#waiting.size > waitingMax;
  }

  /** Takes the next changeset, after all its children. */
  take(id: string, parents: readonly string[]): void {
    const reach = this.#waiting.get(id);
    if (reach === undefined) return;
    this.#waiting.delete(id);
    if (reach !== this.#all) {
      this.#open -= 1;
      this.#bySet.set(reach, (this.#bySet.get(reach) ?? 0) + 1);
      if (this.#bySet.size > setsMax) this.#addUp();
    }
    for (const parent of parents) this.#reach(parent, reach);
  }

  result(): ReadonlyMap<string, AheadBehind> {
    this.#addUp();
    const of = (index: number) => ({ ahead: this.#ahead[index] ?? 0, behind: this.#behind[index] ?? 0 });
    return new Map(this.#ids.map((id, index) => [id, of(index)]));
  }

  #reach(id: string, more: Reach): void {
    const before = this.#waiting.get(id) ?? 0n;
    const after = before | more;
    if (before === 0n && after !== this.#all) this.#open += 1;
    if (before !== 0n && before !== this.#all && after === this.#all) this.#open -= 1;
    this.#waiting.set(id, after);
  }

  #addUp(): void {
    for (const [reach, count] of this.#bySet) {
      const counted = (reach & this.#base) === 0n ? this.#ahead : this.#behind;
      const others = counted === this.#ahead ? reach : ~reach;
      for (const [index, sum] of counted.entries()) {
        if ((others >> BigInt(index)) & 1n) counted[index] = sum + count;
      }
    }
    this.#bySet = new Map();
  }
}

const noParent = '0'.repeat(40);

/** Returns null for a history that is too wide. */
async function count(
  history: AsyncIterable<Uint8Array>,
  base: string,
  rawIds: readonly string[],
): Promise<ReadonlyMap<string, AheadBehind> | null> {
  const counts = new Counts(base, rawIds);
  let rest = '';
  for await (const chunk of history) {
    const lines = (rest + Buffer.from(chunk).toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [id = '', ...parents] = line.split(' ');
      counts.take(
        id,
        parents.filter((parent) => parent !== noParent),
      );
      if (counts.isEnded) return counts.result();
    }
    if (counts.isTooWide) return null;
  }
  return counts.result();
}

/**
 * Counts, for each of some changesets, how many it reaches and the base does not, and the other way round. The history
 * is read as far as it is needed; null when the signal aborts before that, and for one that is too wide.
 */
export async function countAheadBehind(
  { parentLines }: Pick<VcsReads, 'parentLines'>,
  path: string,
  { base, rawIds, until }: { readonly base: string; readonly rawIds: readonly string[]; readonly until: AbortSignal },
): Promise<ReadonlyMap<string, AheadBehind> | null> {
  const others = [...new Set(rawIds)].filter((id) => id !== base);
  const own = [base, { ahead: 0, behind: 0 }] as const;
  if (others.length === 0) return new Map([own]);
  try {
    const counted = await count(parentLines(path, [base, ...others], until), base, others);
    return counted && new Map([own, ...counted]);
  } catch (error) {
    if (until.aborted && error instanceof VcsError && error.kind === 'cancelled') return null;
    throw error;
  }
}
