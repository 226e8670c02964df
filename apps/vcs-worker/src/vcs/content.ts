import type { LastChanges } from './last-changes.ts';

/** Kind of the entry that a path names at a changeset. */
export type PathKind = 'file' | 'dir' | 'symlink' | 'submodule';

/** Where a submodule or subrepository is to be found. */
interface Submodule {
  /** The id of its commit or changeset; of a subrepository of Subversion the number. */
  readonly commit: string;
  /** What `.gitmodules` or `.hgsub` says, which anybody who pushes may have written; null when it says nothing. */
  readonly address: string | null;
}

/** One entry of a directory. */
export interface DirectoryEntry {
  /** The last segment of the entry's path. */
  readonly name: string;
  readonly kind: PathKind;
  /** Size of a file in bytes; null for every other kind, and for a file whose size is too expensive to read. */
  readonly size: number | null;
  /** True for a file that can be run; absent for all others. */
  readonly executable?: true;
  /** Present for a submodule alone. */
  readonly submodule?: Submodule;
}

/** A file at a changeset. */
export interface FileInfo {
  readonly size: number;
  readonly executable: boolean;
  /** Whether the file is a symbolic link; the link's content is its target. */
  readonly symlink: boolean;
}

export interface OpenFile extends FileInfo {
  /** The content. The process that produces it starts when reading begins, and is killed when reading stops. */
  readonly content: AsyncIterable<Uint8Array>;
}

export interface PatchOptions {
  /** Number of unchanged lines around each change. */
  readonly context: number;
  /** Whether changes of white space alone are left out. */
  readonly ignoreWhitespace: boolean;
}

export interface DiffOptions extends PatchOptions {
  /** Full id of the changeset with which is compared, null for none: absent, it is the first parent. */
  readonly base?: string | null;
  /** Whether a changed binary file has its content in the diff, which otherwise only names it and cannot be applied. */
  readonly binary: boolean;
  /** Number of the parent with which the changeset is compared; the first one when absent. */
  readonly parent?: number;
  /** The only files whose changes are wanted, or all of them: a file that has another name now is one of two paths. */
  readonly paths?: readonly string[];
}

/** Extent of a changeset's change to one file. Counts of lines are null for a binary file and when not counted. */
export interface FileStat {
  readonly path: string;
  readonly change: 'added' | 'changed' | 'removed';
  readonly linesAdded: number | null;
  readonly linesRemoved: number | null;
}

export const archiveFormats = ['zip', 'tar', 'tar.gz', 'tar.bz2'] as const;
export type ArchiveFormat = (typeof archiveFormats)[number];

export interface ArchiveOptions {
  readonly format: ArchiveFormat;
  /** Name of the one directory at the top of the archive, without a slash at its end. */
  readonly prefix: string;
  /** Has no effect: neither back end archives subrepositories or submodules. */
  readonly subrepos: boolean;
}

/** A changeset that changed a file, or something in a directory. */
export interface PathChange {
  readonly rawId: string;
  /** The path at that changeset; that before it for a file that the changeset removed. */
  readonly path: string;
  /** Null for a directory, and where the tool does not tell it. */
  readonly change: 'added' | 'changed' | 'removed' | 'renamed' | 'copied' | null;
  /** The path before it, of a file that the changeset renamed or copied. */
  readonly formerPath: string | null;
}

export interface PathHistory {
  /** What the path is at the changeset where the history begins; null when it is not there any more. */
  readonly kind: PathKind | null;
  /** The newest first. */
  readonly changes: readonly PathChange[];
  /** Whether there are more changes, none, or perhaps more, which were not found in time. */
  readonly end: 'more' | 'end' | 'late';
}

export interface PathHistoryOptions {
  /** How many of the newest changes are left out. */
  readonly skip: number;
  readonly limit: number;
}

/** A changeset that has written lines of a file. */
export interface LineOrigin {
  readonly rawId: string;
  /** The file's path at that changeset. */
  readonly path: string;
  /** The changeset and the path before it; null for a new file. */
  readonly before: { readonly rawId: string; readonly path: string } | null;
}

/** Consecutive lines of one origin, which are consecutive there, too. */
export interface AnnotatedBlock {
  /** The number of the first line, counted from 1. */
  readonly line: number;
  readonly lines: number;
  /** The index of the origin. */
  readonly origin: number;
  /** The number of the first line in the file of the origin. */
  readonly originLine: number;
}

export interface Annotation {
  readonly origins: readonly LineOrigin[];
  /** In the order of their lines. */
  readonly blocks: readonly AnnotatedBlock[];
}

/**
 * Reads of a repository's content. `rawId` is a full id that was resolved before; `path` is the repository's path on
 * disk. Other paths are relative to the repository's root, without slashes at either end; '' is the root. The memory of
 * every stream is bounded, and its tool is killed when the reader stops.
 */
export interface VcsContent {
  /** Lists a directory: directories first, then the rest, each by name. Throws like `openFile`. */
  directory(path: string, rawId: string, directory: string): Promise<DirectoryEntry[]>;
  /** Opens a file. Throws VcsError `is-submodule` for a submodule's path, `unknown-path` for others that name no file. */
  openFile(path: string, rawId: string, file: string): Promise<OpenFile>;
  /**
   * Streams a git-style diff against a parent or `base`; without either it is against the empty tree. VcsError
   * `unknown-revision` for a parent that is none, `too-large` for too many changed paths, or for content that is too large
   * for the tool's memory. A diff of some paths has others, too, where the tool cannot be told their names.
   */
  diff(path: string, rawId: string, options: DiffOptions): AsyncIterable<Uint8Array>;
  /** Streams a patch from which `hg import` or `git am` makes the same changeset, with the diff to the first parent. */
  patch(path: string, rawId: string, options: PatchOptions): AsyncIterable<Uint8Array>;
  /** Returns at most `filesMax` changed files of each changeset, by its id; in the order of `rawIds`. */
  fileStats(
    path: string,
    rawIds: readonly string[],
    filesMax: number,
  ): Promise<ReadonlyMap<string, readonly FileStat[]>>;
  /**
   * Finds the changesets that changed a file, under its former names, too, or something in a directory, among the
   * ancestors of a changeset. VcsError `unknown-path` when none did.
   */
  pathHistory(path: string, rawId: string, file: string, options: PathHistoryOptions): Promise<PathHistory>;
  /** Finds the changesets that have written the lines of a file; VcsError `timeout` when that takes long. */
  annotate(path: string, rawId: string, file: string): Promise<Annotation>;
  /**
   * Returns the newest changes of a directory's entries. Takes long where an entry has not been changed for a long history.
   */
  lastChanges(path: string, rawId: string, directory: string): Promise<LastChanges>;
  /** Streams an archive; the same changeset and options always give the same bytes. */
  archive(path: string, rawId: string, options: ArchiveOptions): AsyncIterable<Uint8Array>;
}
