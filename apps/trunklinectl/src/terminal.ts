/** The streams of the process. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Asks for a secret on a terminal, without showing it; elsewhere returns what standard input has. */
  readSecret(prompt: string): Promise<string>;
  /** Whether a person types what `readSecret` returns. */
  readonly isTyped: boolean;
}
