/** What is not brought over as it is, in a sentence for the operator; nothing in it is secret. */
export interface Finding {
  readonly kind: FindingKind;
  /** Kind and name in the source, such as `user ann`. */
  readonly about: string;
  readonly what: string;
  /** The name or value here, where it is another one. */
  readonly proposed?: string;
}

export type FindingKind = 'renamed' | 'refused' | 'replaced' | 'left out' | 'rights' | 'weak key' | 'differs' | 'kept';
