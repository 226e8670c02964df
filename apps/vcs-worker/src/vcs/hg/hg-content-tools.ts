import type { HgCommands } from './hg-commands.ts';
import type { HgStream } from './hg-stream.ts';

export interface HgContentTools {
  /** Runs commands with small output on kept command servers. */
  readonly hg: HgCommands;
  /** Runs each command with possibly large output in a separate process. */
  readonly stream: HgStream;
  /** Time after which `readHgFileStats` counts the lines of no further changeset, in milliseconds. */
  readonly timeoutMs: number;
}
