import type { GitCommands } from './git-commands.ts';
import type { ObjectReader } from './object-reader.ts';

interface OwnStreamOptions {
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
}

/** Tools that read a repository's content. */
export interface GitContentTools {
  readonly git: GitCommands;
  readonly reader: ObjectReader;
  /** Runs a git command on a repository and streams its stdout, no faster than the reader consumes it. */
  stream(path: string, args: readonly string[], options?: OwnStreamOptions): AsyncIterable<Uint8Array>;
}
