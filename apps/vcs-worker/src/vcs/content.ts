/** What a path is at a changeset. A directory's size is null. */
export type PathKind = 'file' | 'dir' | 'symlink' | 'submodule';

/** One entry of a directory. */
export interface DirectoryEntry {
  /** The last segment. */
  readonly name: string;
  readonly kind: PathKind;
  /** Bytes of a file; null for everything else, and where telling would mean reading it. */
  readonly size: number | null;
}

/** A file at a changeset. */
export interface FileInfo {
  readonly size: number;
  readonly executable: boolean;
  /** The content of a symbolic link is its target. */
  readonly symlink: boolean;
}

export interface OpenFile extends FileInfo {
  /** The content; begun when it is read. Whoever stops reading ends what produces it. */
  readonly content: AsyncIterable<Uint8Array>;
}

export interface DiffOptions {
  /** Lines around each change. */
  readonly context: number;
  /** Changes of white space alone are left out. */
  readonly ignoreWhitespace: boolean;
}

/** How much of one file a changeset changed; lines are null for a binary file. */
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
  /** The one directory at the top of the archive, without a slash at its end. */
  readonly prefix: string;
  readonly subrepos: boolean;
}

/**
 * What a version control system shows of a repository's content. Ids are full ids that were resolved before; paths of
 * content are relative to the repository's root, without slashes at either end, '' being the root. All streams are
 * bounded in memory, whatever they carry, and end their tool when nobody reads on.
 */
export interface VcsContent {
  /** The entries of a directory: directories first, each kind by name. VcsError `unknown-path` for anything else. */
  directory(path: string, rawId: string, directory: string): Promise<DirectoryEntry[]>;
  /** VcsError `unknown-path` when there is none or it is no file. */
  openFile(path: string, rawId: string, file: string): Promise<OpenFile>;
  /** A git-style diff against the first parent; a root changeset's against nothing. */
  diff(path: string, rawId: string, options: DiffOptions): AsyncIterable<Uint8Array>;
  /** What `hg import` or `git am` makes the same changeset of (of a merge: its diff against the first parent). */
  patch(path: string, rawId: string, options: DiffOptions): AsyncIterable<Uint8Array>;
  /** Of each changeset the files it changed, at most so many; in the order of the ids. */
  fileStats(
    path: string,
    rawIds: readonly string[],
    filesMax: number,
  ): Promise<ReadonlyMap<string, readonly FileStat[]>>;
  /** The same bytes each time. */
  archive(path: string, rawId: string, options: ArchiveOptions): AsyncIterable<Uint8Array>;
}
