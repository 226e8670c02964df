/** Commits with consecutive numbers, of which the highest is the newest commit of the repository. */
export interface CommitRange {
  /** The lowest of their numbers; 0 when they are all commits. */
  readonly first: number;
  /** Number of all commits of the repository. */
  readonly length: number;
  idAt(number: number): string | null;
  /** Milliseconds since 1970 of a commit, clamped like the dates of changesets. */
  timeAt(number: number): number;
  /** Returns the number of a commit by its full id; null for one that is not among them. */
  numberOf(rawId: string): number | null;
  /** Returns a test of whether a commit, by its number, is among those that a branch's head reaches. */
  reachedBy(head: string): Promise<(number: number) => boolean>;
}
