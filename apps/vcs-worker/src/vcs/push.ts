/** A change of one name in a repository, such as a reference of git. Null stands for its absence. */
export interface NameChange {
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
}

/**
 * A push is refused. The message is the client's text for all of it; `reasons` has a text for each name that causes it,
 * or is empty.
 */
export class PushRefusedError extends Error {
  override readonly name = 'PushRefusedError';
  readonly reasons: ReadonlyMap<string, string>;

  constructor(message: string, options: ErrorOptions & { readonly reasons?: ReadonlyMap<string, string> } = {}) {
    super(message, options);
    this.reasons = options.reasons ?? new Map<string, string>();
  }
}

/** A push has more bytes than a push may have. The rest of it is not read. */
export class PushTooLargeError extends PushRefusedError {
  constructor(bytesMax: number, options?: ErrorOptions) {
    const advice = 'push fewer changesets at a time, or ask an administrator to raise the limit';
    super(`the push is larger than ${bytesMax} bytes: ${advice}`, options);
  }
}

/** The references do not show what an interrupted push has changed. */
export class PushUnsettledError extends Error {
  override readonly name = 'PushUnsettledError';
}

/** What has arrived: the changes of git; Mercurial finds its own in its bundle. */
export interface ReceivedPush {
  readonly directory: string;
  readonly changes: readonly NameChange[];
}

/**
 * Makes a received push visible, in steps which any worker can take from the push's directory alone. Callers hold
 * `acquireWriteLock`.
 */
export interface PushSteps {
  /**
   * Throws PushRefusedError for what can be refused before anything is written. Records in the directory what `settle`
   * needs.
   */
  prepare(path: string, push: ReceivedPush): Promise<void>;
  /** Makes the objects part of the repository; nothing refers to them yet. May be repeated. */
  moveObjects(path: string, push: ReceivedPush): Promise<void>;
  /**
   * Changes all names or none; throws PushRefusedError for none. A process that dies in the middle changes some.
   * `requireHeld` throws once another worker may write; an implementation that takes long calls it at its last step.
   */
  changeNames(path: string, push: ReceivedPush, requireHeld: () => Promise<void>): Promise<void>;
  /** Completes what depends on the names, and syncs all that the push has changed. May be repeated. */
  finish(path: string, push: ReceivedPush): Promise<void>;
  /**
   * Decides what becomes of a push that was interrupted: returns false when nothing of it is visible, else makes all of
   * it visible and returns true. Throws PushUnsettledError.
   */
  settle(path: string, push: ReceivedPush): Promise<boolean>;
}
