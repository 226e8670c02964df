import type { Writable } from 'node:stream';

/** The streams of the process. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Width of the terminal that shows the error output; null where it is none. */
  columns(): number | null;
  /** Standard output, for what is no text. */
  readonly bytes: Writable;
  /** Standard input, for what is no text. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Asks for a secret on a terminal, without showing it; elsewhere returns what standard input has. */
  readSecret(prompt: string): Promise<string>;
  /** Whether a person types what `readSecret` returns. */
  readonly isTyped: boolean;
}
