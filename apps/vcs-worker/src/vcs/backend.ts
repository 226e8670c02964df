import type { Report } from './progress.ts';
import type { VcsContent } from './content.ts';
import type { Remote } from './remote/remote.ts';

export interface Changeset {
  readonly rawId: string;
  readonly revision: number;
  /** The full author string. */
  readonly author: string;
  /** When it was committed. */
  readonly date: Date;
  readonly message: string;
}

/** A file or directory; the name is the full path from the repository's root. */
export interface TreeNode {
  readonly name: string;
  readonly type: 'file' | 'dir';
}

/**
 * Full paths of the files that a changeset touched, against its first parent; a rename is a removal and an addition.
 */
export interface FileChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** A changeset as histories show it. */
export interface HistoryEntry extends Changeset {
  /** Full ids, the first parent first. */
  readonly parents: readonly string[];
  /** The named branch it was committed on; null for git. */
  readonly branch: string | null;
  /** Null unless asked for. */
  readonly files: FileChanges | null;
}

/** Which changesets of a repository, in the order of their numbers. */
export interface LogQuery {
  /** Full ids of the first and the last changeset. */
  readonly from?: string | null;
  readonly to?: string | null;
  readonly since?: Date | null;
  readonly until?: Date | null;
  /** hg: those committed on it; git: those it reaches. */
  readonly branch?: string | null;
  /** Full id; only what comes after it in the order of the answer. */
  readonly after?: string | null;
  readonly reverse?: boolean;
  readonly limit?: number | null;
  readonly withFiles: boolean;
}

/** Full ids of changesets by name. */
export type NamedChangesets = ReadonlyMap<string, string>;

export interface Refs {
  readonly bookmarks: NamedChangesets;
  readonly branches: NamedChangesets;
  readonly closedBranches: NamedChangesets;
  readonly tags: NamedChangesets;
}

export interface PullOptions {
  readonly report?: Report;
  /** Awaited before the first byte of the repository is touched. */
  readonly beforeWriting?: () => Promise<void>;
}

/** What the service asks of a version control system. Paths are absolute and never come from users. */
export interface VcsBackend extends VcsContent {
  readonly type: 'hg' | 'git';
  /** How its tool is started. */
  readonly command: readonly string[];
  /** The tool's version, in its own words. */
  version(): Promise<string>;
  /** Makes an empty repository; the path does not exist yet, its parent does. */
  init(path: string, repositoryUuid: string): Promise<void>;
  /** Fails unless a repository of this type answers there that this worker may reach. */
  checkRemote(remote: Remote, signal: AbortSignal): Promise<void>;
  /** Makes a repository with everything the remote has. */
  importFrom(path: string, repositoryUuid: string, remote: Remote, signal: AbortSignal, report?: Report): Promise<void>;
  /** Makes a copy of the repository at `source`, on the same disk, that shares no file which either will write. */
  fork(source: string, path: string, repositoryUuid: string, signal: AbortSignal, report?: Report): Promise<void>;
  /** Brings what is new. The remote is asked first; where that fails, or there is nothing new, nothing is written. */
  pull(path: string, remote: Remote, signal: AbortSignal, options?: PullOptions): Promise<void>;
  /**
   * Keeps every other worker, and what one that stands still has started, from writing in the repository until what
   * this answers is called; throws when another one does not release it. `pull` and `recover` are to be called under
   * it.
   */
  acquireWriteLock(path: string): Promise<() => Promise<void>>;
  /** Breaks what locks there are and rolls back what a write has left half-done. */
  recover(path: string): Promise<void>;
  /**
   * Writes an index that makes walks of the whole history fast; reads are right without it. To be called
   * under `holdWriting` where somebody else may write.
   */
  indexHistory(path: string, signal: AbortSignal): Promise<void>;
  /**
   * Throws VcsError when a repository that was made elsewhere cannot be taken over as it is; answers its own
   * description. Reads plain files, follows no link and runs no tool.
   */
  inspect(path: string): Promise<{ readonly description: string | null }>;
  /** Puts our configuration in the place of the one it came with, which is kept beside. May be repeated. */
  defuse(path: string, repositoryUuid: string): Promise<void>;
  /** The newest changeset; null when there is none. Fails where any changeset cannot be read. */
  tip(path: string): Promise<Changeset | null>;
  /** The full id that a user's revision names. */
  resolveRevision(path: string, revision: string | number | null): Promise<string>;
  /** Everything below a directory at a changeset: directories first, each list in the order of a walk. */
  nodes(path: string, rawId: string, root: string): Promise<TreeNode[]>;
  /** A changeset by its full id; what no reference reaches has no number and is unknown. */
  changeset(path: string, rawId: string, options: { withFiles: boolean }): Promise<HistoryEntry>;
  log(path: string, query: LogQuery): Promise<HistoryEntry[]>;
  refs(path: string): Promise<Refs>;
}
