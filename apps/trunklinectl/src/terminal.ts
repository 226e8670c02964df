import type { Writable } from 'node:stream';

/** The streams of the process. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Standard output, for what is no text. */
  readonly bytes: Writable;
  /** Asks for a secret on a terminal, without showing it; elsewhere returns what standard input has. */
  readSecret(prompt: string): Promise<string>;
  /** Whether a person types what `readSecret` returns. */
  readonly isTyped: boolean;
}
