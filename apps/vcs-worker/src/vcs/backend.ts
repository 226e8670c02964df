import type { VcsContent } from './content.ts';
import type { Report } from './progress.ts';
import type { Remote } from './remote/parse-remote.ts';
import type { FullName } from './revision.ts';

export interface Changeset {
  readonly rawId: string;
  /** Local number; in git, the commit's position in date order over all refs, 0 being the oldest. */
  readonly revision: number;
  /** The full author string. */
  readonly author: string;
  /** Date of the commit. */
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

/** A changeset as a listing of the history shows it. */
export interface HistoryEntry extends Changeset {
  /** Full ids, the first parent first. */
  readonly parents: readonly string[];
  /** Named branch on which the changeset was committed; null for git. */
  readonly branch: string | null;
  /** Null unless `withFiles` is set. */
  readonly files: FileChanges | null;
}

/** A parent or child of a changeset. */
export type Relative = Omit<Changeset, 'revision'>;

/** What is known of a changeset beside its own entry. */
export interface Relations {
  /** Who committed it and when its author wrote it; null in hg, which records neither. */
  readonly committer: string | null;
  readonly authored: Date | null;
  readonly parents: readonly Relative[];
  /** The oldest first; null where they are not known: in git those of the newest commits are. */
  readonly children: readonly Relative[] | null;
}

/** Selection of a repository's changesets, which are returned in the order of their local numbers. */
export interface LogQuery {
  /** Full ids of the first and the last changeset of the range. */
  readonly from?: string | null;
  readonly to?: string | null;
  /** Earliest and latest date, both inclusive. */
  readonly since?: Date | null;
  readonly until?: Date | null;
  /** hg: only changesets committed on this branch, or that the bookmark of `book:…` reaches; git: that this branch reaches. */
  readonly branch?: string | null;
  /** Full id; only changesets that follow this one in the order of the result. */
  readonly after?: string | null;
  readonly reverse?: boolean;
  readonly limit?: number | null;
  readonly withFiles: boolean;
}

/** Full ids of changesets by the name of their bookmark, branch or tag. */
export type NamedChangesets = ReadonlyMap<string, string>;

export interface Refs {
  readonly bookmarks: NamedChangesets;
  readonly branches: NamedChangesets;
  readonly closedBranches: NamedChangesets;
  readonly tags: NamedChangesets;
}

/** The reference whose files and history are those of a repository for who names none. */
export interface DefaultRef extends FullName {
  readonly rawId: string;
}

/** Two changesets by their full ids. */
export interface ComparedPair {
  readonly from: string;
  readonly to: string;
  /** Path of the repository that has `from`, of the same type and on the same disk; null for the one that has `to`. */
  readonly fromPath: string | null;
}

export interface ComparisonQuery extends ComparedPair {
  readonly limit: number;
  /** How many of the newest changesets that only `to` has are passed over. */
  readonly skip: number;
}

export interface Comparison {
  /** Full id of the newest common ancestor; null when there is none. */
  readonly base: string | null;
  /** How many changesets only `to` has, and how many only `from` has, both included. */
  readonly ahead: number;
  readonly behind: number;
  /** Those that only `to` has, the newest first. */
  readonly changesets: readonly HistoryEntry[];
}

/** What a reference names, with the words of who has made it. */
export interface DescribedRef {
  /** Null for a changeset whose text is too long. */
  readonly changeset: (Pick<Changeset, 'author' | 'date' | 'message'> & { readonly isSigned: boolean }) | null;
  /** What an annotated tag of git says; null for every other reference. A signature is seen, and not checked. */
  readonly tag: {
    readonly tagger: string;
    readonly date: Date;
    readonly message: string;
    readonly isSigned: boolean;
  } | null;
}

export interface PullOptions {
  readonly report?: Report;
  /** Whether branches and tags of git that the remote no longer has are removed. */
  readonly prunes?: boolean;
  /** Called and awaited before the first byte of the repository is touched. */
  readonly beforeWriting?: () => Promise<void>;
}

/** What a pull of git has made of the branches and tags. */
export interface PulledReferences {
  readonly branchesAdded: number;
  readonly branchesMoved: number;
  readonly branchesRemoved: number;
  readonly tagsAdded: number;
  readonly tagsRemoved: number;
  /** Tags that name something else on the remote, which a pull never moves. */
  readonly tagsKept: number;
  /** New names that cannot be beside one which is here, or beside another new one, such as `a/b` beside `a`. */
  readonly leftOut: number;
}

/** A state of a repository's bytes, of which reads may be kept: bytes change only together with the generation. */
export interface RepositoryState {
  readonly uuid: string;
  readonly generation: number;
  /** The recorded tip; null when none is recorded. */
  readonly tip: { readonly rawId: string; readonly revision: number } | null;
}

/** Reads of a repository. Paths are absolute and never come from users. */
export interface VcsReads extends VcsContent {
  /**
   * Returns the same reads for one call: they end when its signal aborts, and do not wait for memory. With a state,
   * which is kept for further calls of these reads, they are reads of that repository alone.
   */
  forCall(signal: AbortSignal, state?: RepositoryState): VcsReads;
  /** Returns the newest changeset; null when there is none. Throws when it or, in git, any commit is unreadable. */
  tip(path: string): Promise<Changeset | null>;
  /** Returns the full id of a user's revision; VcsError `unknown-revision` or `empty-repository` when it names none. */
  resolveRevision(path: string, revision: string | number | null): Promise<string>;
  /** Returns the full id of the only changeset whose id begins with these digits, whatever is called so; null for none. */
  findByPrefix(path: string, prefix: string): Promise<string | null>;
  /** Lists everything below a directory at a changeset: all directories, then all files, as `orderNodes` walks them. */
  nodes(path: string, rawId: string, root: string): Promise<TreeNode[]>;
  /** Returns a changeset by its full id. One that no ref reaches has no number: VcsError `unknown-revision`. */
  changeset(path: string, rawId: string, options: { withFiles: boolean }): Promise<HistoryEntry>;
  /** Returns changesets by their full ids, in the order of these and without files. Throws like `changeset`. */
  changesets(path: string, rawIds: readonly string[]): Promise<HistoryEntry[]>;
  /** Returns the first `max` parents and children of a changeset by its full id. */
  relations(path: string, rawId: string, max: number): Promise<Relations>;
  log(path: string, query: LogQuery): Promise<HistoryEntry[]>;
  /** Returns the full id of the newest common ancestor; null when there is none. */
  mergeBase(path: string, pair: ComparedPair): Promise<string | null>;
  /** Compares histories; `path` is that of the repository that has `to`. VcsError `unknown-revision` as from `changeset`. */
  compare(path: string, query: ComparisonQuery): Promise<Comparison>;
  /** Returns the files that differ from those of `base`, null for none; VcsError `too-large` for too many of them. */
  changesSince(path: string, base: string | null, rawId: string): Promise<FileChanges>;
  refs(path: string): Promise<Refs>;
  /** Returns when what references name was made, in milliseconds since 1970, by full id. */
  refTimes(path: string): Promise<ReadonlyMap<string, number>>;
  /** Describes references, in their order. */
  describeRefs(path: string, refs: readonly (FullName & { readonly rawId: string })[]): Promise<DescribedRef[]>;
  /**
   * Streams what some changesets reach as lines `<id> <ids of parents>`, children before their parents; what all of them
   * reach may be left out. Throws VcsError `cancelled` when the signal aborts.
   */
  parentLines(path: string, rawIds: readonly string[], signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Returns the branch that clones check out, which may not exist yet; null in hg, and for a HEAD that is none. */
  defaultBranch(path: string): Promise<string | null>;
  /**
   * Returns what pages show first, null for none. In git the branch of HEAD; in hg the bookmark `@`, else the branch
   * `default`, else that of the newest changeset, where closed heads do not count.
   */
  defaultRef(path: string): Promise<DefaultRef | null>;
}

/** The operations of a version control system that the worker needs. Paths are absolute and never come from users. */
export interface VcsBackend extends VcsReads {
  readonly type: 'hg' | 'git';
  /** The words that start the tool: program, then arguments. */
  readonly command: readonly string[];
  /** Returns the tool's version as the tool prints it; VcsError `failed` when it prints none. */
  version(): Promise<string>;
  /** Makes an empty repository, of which all is synced; the path must not exist yet, its parent must. */
  init(path: string, repositoryUuid: string): Promise<void>;
  /** Throws VcsError unless the remote is a repository of this type that this worker may reach and log in to. */
  checkRemote(remote: Remote, signal: AbortSignal): Promise<void>;
  /** Makes a repository with all changesets and refs of the remote. */
  importFrom(path: string, repositoryUuid: string, remote: Remote, signal: AbortSignal, report?: Report): Promise<void>;
  /** Makes a copy of the repository at `source`, on the same disk. The two share no file that either writes later. */
  fork(source: string, path: string, repositoryUuid: string, signal: AbortSignal, report?: Report): Promise<void>;
  /**
   * Fetches new changesets and, in git, branches and tags; returns null in hg. Asks the remote first; when the remote fails
   * or has nothing new, nothing is written.
   */
  pull(path: string, remote: Remote, signal: AbortSignal, options?: PullOptions): Promise<PulledReferences | null>;
  /**
   * Keeps every other worker, and processes that a suspended worker has started, from writing in the repository until
   * the returned function is called. Throws VcsError when another worker does not release the lock in time. Callers of
   * `pull`, `setDefaultBranch` and `recover` hold this lock.
   */
  acquireWriteLock(path: string): Promise<() => Promise<void>>;
  /** Returns whether HEAD of git certainly leads to no branch, so that clones check out nothing; false in hg. */
  isHeadDangling(path: string): Promise<boolean>;
  /** Sets the branch that clones of git check out; VcsError `unknown-revision` for one that does not exist. */
  setDefaultBranch(path: string, branch: string): Promise<void>;
  /** Waits until there is memory for `recover`, which itself starts in any case: others wait for the repository by then. */
  waitForMemory(): Promise<void>;
  /** Removes the locks of git and Mercurial, and rolls back an interrupted write. */
  recover(path: string): Promise<void>;
  /**
   * Writes an index that makes walks of the whole history fast; reads are right without the index. Callers hold
   * `acquireWriteLock` where another worker may write.
   */
  indexHistory(path: string, signal: AbortSignal): Promise<void>;
  /**
   * Reads all of the repository. Throws VcsError `damaged` when anything in it is damaged or missing, and another error when
   * it could not be read, which says nothing about the repository.
   */
  verify(path: string, signal: AbortSignal): Promise<void>;
  /** Returns whether any reference or head of a repository leads to a changeset that none of the other one leads to. */
  hasMoreThan(path: string, other: string): Promise<boolean>;
  /**
   * Returns whether a path in a repository, one character for each byte, is a lock or an unfinished file of a writer,
   * which a copy leaves out.
   */
  isTransient(path: string): boolean;
  /**
   * Throws VcsError `not-adoptable` when a repository that was made elsewhere cannot be adopted as it is; returns its
   * own description. Reads plain files, follows no link and runs no tool.
   */
  inspect(path: string): Promise<{ readonly description: string | null }>;
  /**
   * Replaces an adopted repository's configuration by Trunkline's; the old file is kept beside. Has HEAD of git lead to a
   * branch that exists. May be repeated.
   */
  replaceConfiguration(path: string, repositoryUuid: string): Promise<void>;
}
