import type { Command } from 'commander';
import type { Environment } from './config.ts';
import type { Terminal } from './terminal.ts';

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
