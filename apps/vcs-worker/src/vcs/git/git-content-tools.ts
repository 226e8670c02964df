import type { GitCommands } from './git-commands.ts';
import type { ObjectReader } from './object-reader.ts';

interface OwnStreamOptions {
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
}

/** What content is read with. */
export interface GitContentTools {
  readonly git: GitCommands;
  readonly reader: ObjectReader;
  /** What git prints on a repository, at the reader's pace. */
  stream(path: string, args: readonly string[], options?: OwnStreamOptions): AsyncIterable<Uint8Array>;
}
