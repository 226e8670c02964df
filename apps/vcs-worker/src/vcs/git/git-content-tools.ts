import type { GitCommands } from './git-commands.ts';
import type { ObjectReader } from './object-reader.ts';

interface OwnStreamOptions {
  readonly input?: string | AsyncIterable<Uint8Array>;
  /** The name of a file that is the last argument. It may be any bytes, and the command then has no input. */
  readonly file?: string;
  /** Whether each record is written as soon as it is found, instead of many at once. */
  readonly isFlushed?: boolean;
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
