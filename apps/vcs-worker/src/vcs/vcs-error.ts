export type VcsErrorKind =
  | 'unknown-revision'
  | 'empty-repository'
  | 'unknown-path'
  | 'is-submodule'
  | 'remote-failed'
  | 'remote-refused'
  | 'timeout'
  | 'cancelled'
  | 'busy'
  | 'too-large'
  | 'not-adoptable'
  | 'not-archivable'
  | 'not-zippable'
  | 'damaged'
  | 'failed';

/** Failure of a version control system. The message is for the log and holds no credentials. */
export class VcsError extends Error {
  override readonly name = 'VcsError';
  readonly kind: VcsErrorKind;

  constructor(kind: VcsErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
