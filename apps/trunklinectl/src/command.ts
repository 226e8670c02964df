import type { Writable } from 'node:stream';
import type { Command } from 'commander';
import type { Environment } from './config.ts';

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

/** What a command has done or found: in words, and for programs. */
export interface Outcome {
  readonly text: string;
  readonly record: Readonly<Record<string, unknown>>;
  /** Whether the exit code tells a failure. */
  readonly isFailure?: boolean;
  /** Whether standard output has something else, so that this is told on the error output. */
  readonly isAside?: boolean;
}

export interface Context {
  readonly environment: Environment;
  readonly terminal: Terminal;
}

export type Act = (context: Context) => Promise<Outcome>;

/** Adds a command to the program; `choose` is told what it does when it was called. */
export type AddCommand = (program: Command, choose: (act: Act) => void) => void;
