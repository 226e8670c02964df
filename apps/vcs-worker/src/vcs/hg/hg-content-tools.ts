import type { HgCommands } from './hg-commands.ts';
import type { HgStream } from './hg-words.ts';

export interface HgContentTools {
  /** Kept servers, for what is small. */
  readonly hg: HgCommands;
  /** Processes of their own, for what may be large. */
  readonly stream: HgStream;
  readonly timeoutMs: number;
}
