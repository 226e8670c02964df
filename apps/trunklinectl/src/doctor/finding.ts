/** What one check has found. */
export interface Finding {
  /** Group of the check, such as `database`. */
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'failure';
  /** One sentence: what is right, or what is wrong. */
  readonly what: string;
  /** One sentence: what to do; null when there is nothing to do. */
  readonly todo: string | null;
}

/** Findings of one group. */
export function findingsOf(check: string) {
  return {
    ok: (what: string): Finding => ({ check, level: 'ok', what, todo: null }),
    warning: (what: string, todo: string): Finding => ({ check, level: 'warning', what, todo }),
    failure: (what: string, todo: string): Finding => ({ check, level: 'failure', what, todo }),
  };
}
