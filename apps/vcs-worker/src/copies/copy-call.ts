import type { CopyAction } from '@trunkline/contracts';
import type { CopyTarget } from './copies.ts';
import type { HandedFiles } from './stream/handed-files.ts';

/** One action of a copy, as its sender asks for it. */
export interface CopyCall {
  readonly target: CopyTarget;
  readonly action: CopyAction;
  readonly signal: AbortSignal;
  /** Time for the whole transfer. */
  readonly totalMs: number;
  /** Bytes for the other worker; once it has answered, nothing more is wanted. `handed` takes large files as they are. */
  readonly body?: (isAnswered: () => boolean, handed?: HandedFiles) => AsyncGenerator<Uint8Array>;
}
