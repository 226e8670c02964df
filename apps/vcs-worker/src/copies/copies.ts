import type { CopyAction } from '@trunkline/contracts';
import type { Report } from '../vcs/progress.ts';
import type { ChangeTime, CopiedState } from './tree-state.ts';
import type { HandedFiles } from './stream/handed-files.ts';

/** A tree that is arriving at a storage, as one attempt of an operation copies it. */
export interface CopyTarget {
  /** Name of the storage. */
  readonly storage: string;
  readonly operationId: string;
  readonly attempt: number;
  /** Path at which `publish` puts the tree. */
  readonly storagePath: string;
}

/** A directory at the source whose files are already at the target. */
export interface LinkSource {
  readonly path: string;
  /** Path of the same repository at the target. */
  readonly storagePath: string;
}

export interface SentTree {
  /** Absolute path on this worker. */
  readonly path: string;
  readonly type: 'hg' | 'git';
  /** Only files that were changed at this time or later are sent, and what is gone is removed; null sends all. */
  readonly changedSince: ChangeTime | null;
  /** Files that the tree shares with these, on the same file system, are linked at the target. */
  readonly linkSources: readonly LinkSource[];
}

export interface SentCounts {
  /** Files that were sent, linked ones not included. */
  readonly files: number;
  readonly bytes: number;
  readonly linked: number;
}

/** Copies trees to other storages. Everything throws what the other worker's error says, for the client. */
export interface Copies {
  /** Clears at the target what earlier attempts have left, staged and published; an attempt calls it once, and first. */
  begin(target: CopyTarget, bytes: number | null, signal: AbortSignal): Promise<void>;
  /** Sends a tree to the target's staging directory. Resolves when it is written. */
  send(target: CopyTarget, tree: SentTree, signal: AbortSignal, report?: Report): Promise<SentCounts>;
  /** Has the target read its staged tree; `full` runs the type's own check of everything before. */
  check(target: CopyTarget, type: 'hg' | 'git', full: boolean, signal: AbortSignal): Promise<CopiedState>;
  /** Syncs the staged tree and renames it to its path, fenced by operation and attempt. */
  publish(target: CopyTarget, signal: AbortSignal): Promise<{ readonly sizeBytes: number | null }>;
}

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
