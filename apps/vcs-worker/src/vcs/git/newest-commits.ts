import { changesetDate } from '../changeset-date.ts';
import type { CommitRange } from './commit-order.ts';

interface Commit {
  readonly rawId: string;
  readonly time: number;
  /** The numbers of those parents that are among the newest commits. */
  readonly parents: readonly number[];
}

/** Memory of a commit, and of one of its parents, in bytes. */
const [bytesOfCommit, bytesOfParent] = [300, 16];

/** The newest commits of a history, which are read without the rest of it. */
export class NewestCommits implements CommitRange {
  readonly first: number;
  readonly length: number;
  readonly #numbers: ReadonlyMap<string, number>;
  /** The commit with the number `first` comes first. */
  readonly #commits: readonly Commit[];

  private constructor(length: number, numbers: ReadonlyMap<string, number>, commits: readonly Commit[]) {
    this.length = length;
    this.first = length - commits.length;
    this.#numbers = numbers;
    this.#commits = commits;
  }

  /** Parses lines `<seconds> <id> <parents>`, of which the first is about the newest of `length` commits. */
  static parse(output: Buffer, length: number): NewestCommits {
    const lines = output.toString('latin1').split('\n').filter(Boolean);
    const rows = lines.map((line) => line.split(' '));
    const numbers = new Map(rows.map(([, rawId = ''], index) => [rawId, length - 1 - index]));
    const commits = rows.map(([seconds, rawId = '', ...parents]) => ({
      rawId,
      time: changesetDate(Number(seconds)).getTime(),
      parents: parents.flatMap((parent) => numbers.get(parent) ?? []),
    }));
    return new NewestCommits(length, numbers, commits.toReversed());
  }

  /** Memory in bytes. */
  get bytes(): number {
    const parents = this.#commits.reduce((sum, commit) => sum + commit.parents.length, 0);
    return this.#commits.length * bytesOfCommit + parents * bytesOfParent + 1_000;
  }

  /** The full id of the newest commit; null when there is none. */
  get tipId(): string | null {
    return this.idAt(this.length - 1);
  }

  idAt(number: number): string | null {
    return this.#commits[number - this.first]?.rawId ?? null;
  }

  timeAt(number: number): number {
    return this.#commits[number - this.first]?.time ?? Number.NaN;
  }

  numberOf(rawId: string): number | null {
    return this.#numbers.get(rawId) ?? null;
  }

  childrenOf(rawId: string): readonly string[] | null {
    const number = this.numberOf(rawId);
    // In date order a commit comes before its parents, so that all children of one that is here are here.
    return number === null
      ? null
      : this.#commits.filter(({ parents }) => parents.includes(number)).map((child) => child.rawId);
  }

  async reachedBy(head: string): Promise<(number: number) => boolean> {
    const reached = new Set<number>();
    const start = this.numberOf(head);
    if (start !== null) reached.add(start);
    // In date order a commit comes before its parents, so that nothing between it and the head is missing here.
    for (let number = start ?? -1; number >= this.first; number -= 1) {
      if (!reached.has(number)) continue;
      for (const parent of this.#commits[number - this.first]?.parents ?? []) reached.add(parent);
    }
    return (number) => reached.has(number);
  }
}
