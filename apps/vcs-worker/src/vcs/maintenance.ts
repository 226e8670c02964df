/** What becomes of objects of git that no reference reaches; aged ones are removed after a while. */
export type Unreachable = 'kept' | 'aged' | 'removed';

export interface Packing {
  /** Directory that does not exist yet, on the file system of the repository. */
  readonly staging: string;
  readonly unreachable: Unreachable;
  /** How long objects are kept after they were found to be unreachable, in milliseconds. */
  readonly keptMs: number;
}

/**
 * Files that are to replace those of a repository. Callers of all but `settle` hold `acquireWriteLock`, and keep every
 * other operation away.
 */
export interface PackedFiles {
  /** Whether objects are gone afterwards that could be had by id. */
  readonly removesObjects: boolean;
  /** Checks what has changed since, which may take long. Returns false when the files have to be made anew. */
  settle(): Promise<boolean>;
  /** Returns whether the repository is as `settle` has seen it. */
  isCurrent(): Promise<boolean>;
  /** Makes the files part of the repository, beside those that they replace. May be repeated. */
  add(): Promise<void>;
  /** Moves replaced files away, for half a second at most; returns false when more of them are left. */
  removeReplaced(): Promise<boolean>;
}

/** Packs the files of a repository while it is read and changed, without changing what they say. */
export interface MaintenanceSteps {
  /** Makes new files beside the repository, which stays as it is; null when there is nothing to replace. */
  pack(path: string, packing: Packing, signal: AbortSignal): Promise<PackedFiles | null>;
  /**
   * Does what can only be done in place, for a second at most; returns false when more of it is left. Callers hold
   * `acquireWriteLock`, and keep every other operation away.
   */
  tidy(path: string): Promise<boolean>;
}
