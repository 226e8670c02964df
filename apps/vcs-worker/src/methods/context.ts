import type { ArgsOfMethod, Method, ResultOfMethod, Served, ServedName } from '@trunkline/contracts';
import type { Database, Db, SecretVault, Transaction } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import type { StreamTurns } from '../admission/stream-turns.ts';
import type { Access, RepositoryAccess } from '../authz/authorize.ts';
import type { ActedOnApiKey, ApiKeyAct } from '../calls/act-on-api-key.ts';
import type { HolderAct } from '../calls/act-on-holder.ts';
import type { ActedOnRepoGroup, RepoGroupAct } from '../calls/act-on-repo-group.ts';
import type { ActedOnRepository, RepositoryAct } from '../calls/act-on-repository.ts';
import type { ShownWithRights } from '../calls/reads-with-rights.ts';
import type { OfferTransfer } from '../calls/offer-transfer.ts';
import type { OfferedOperation, RefusedOperation } from '../calls/run-offered.ts';
import type { RepositoryFeeds } from '../feed/repository-feeds.ts';
import type { EndedOperation, OperationKind } from '../operations/claimed-operation.ts';
import type { NewCreation } from '../operations/creation-store.ts';
import type { NewDeletion } from '../operations/deletion-begin-store.ts';
import type { NewOperation } from '../operations/operation-store.ts';
import type { FetchCounts } from '../fetches/fetch-counts.ts';
import type { KeptReplies } from '../kept-replies/kept-replies.ts';
import type { LongList } from '../lists/long-list.ts';
import type { KeptRefs } from '../repo/kept-refs.ts';
import type { LockedRow, Strength } from '../repo/lock-repository.ts';
import type { SmallFiles } from '../repo/small-files.ts';
import type { Storages } from '../storage/storages.ts';
import type { HolderWrite } from '../user/holder-write-store.ts';
import type { VcsBackend } from '../vcs/backend.ts';
import type { Vcs } from '../vcs/create-vcs.ts';
import type { ReceivePack } from '../vcs/git/wire/receive-pack.ts';
import type { UploadPack } from '../vcs/git/wire/upload-pack.ts';
import type { HgWire } from '../vcs/hg/wire/hg-wire.ts';
import type { NodeListingCache } from '../vcs/node-listing-cache.ts';
import type { WireCache } from '../wire-cache/wire-cache.ts';

/** The tools that every handler may use. */
export interface Tools {
  readonly vault: SecretVault;
  readonly logger: Logger;
  readonly feeds: RepositoryFeeds;
  /** Makes every gateway forget what it has cached of a user, or, with null, of all users. */
  readonly announceCallersChanged: (userId: number | null) => void;
  /** Announces to every worker that an operation is to be cancelled. */
  readonly announceCancelled: () => void;
  /** Announces that an operation may have ended, to calls that wait for the operation or for its repository. */
  readonly announceEnd: (operation: EndedOperation) => void;
  /** Makes every worker look now for operations whose worker is gone, and for staging and trash to clear. */
  readonly wakeSweepers: () => void;
  /** Days for which the trash is kept. */
  readonly trashDays: number;
  /** Milliseconds that fork_repo and move_repo wait for their operations before they answer. */
  readonly backgroundAfterMs: number;
  /** Whether the operator has set up ssh for remotes. */
  readonly sshEnabled: boolean;
}

/** The tools that reach repository bytes. A worker that serves the lane `metadata` alone has none of them. */
export interface ByteTools {
  readonly storages: Storages;
  readonly backends: Readonly<Record<'hg' | 'git', VcsBackend>>;
  /** Clones and fetches of git clients. */
  readonly uploadPack: UploadPack;
  /** Clones and pulls of Mercurial clients. */
  readonly hgWire: HgWire;
  /** Pushes of git clients. */
  readonly receivePack: ReceivePack;
  readonly pushSteps: Vcs['pushSteps'];
  readonly maintenance: Vcs['maintenance'];
  /** Limit of the bytes of one push. */
  readonly pushBytesMax: number;
  /** How long a push that has arrived waits for other operations on its repository, in milliseconds. */
  readonly pushWaitMs: number;
  /** Returns whether the memory of all children is above the budget, so that no child may start. */
  readonly isShortOfMemory: () => boolean;
  readonly children: Vcs['children'];
  /** Counts an operation that failed before it began. */
  readonly noteFailure: (kind: OperationKind, error: unknown) => void;
  /** Logs and counts a repository whose bytes could not be read. */
  readonly noteUnreadable: (repository: Pick<RepositoryAccess, 'id' | 'type'>) => void;
  readonly nodeListingCache: NodeListingCache;
  readonly smallFiles: SmallFiles;
  readonly keptRefs: KeptRefs;
  readonly keptReplies: KeptReplies;
  /** Answers to git and Mercurial clients. */
  readonly wireCache: WireCache;
  /** Counts clones and fetches. */
  readonly fetchCounts: Pick<FetchCounts, 'note' | 'figures'>;
  /** The turns in which the streams of large content compute. */
  readonly streamTurns: StreamTurns;
}

/** Context of a method that changes nothing; the caller's rights are checked. */
export interface ReadContext extends Tools {
  readonly db: Database;
  readonly access: Access;
  /** Reads the caller's rights again, for work that goes on after the first answer; throws when they do not suffice. */
  readonly authorize: (db: Db) => Promise<Access>;
  /** Aborts when the client has gone or the call's time is up: what the call has started must end then. */
  readonly signal: AbortSignal;
  /** Id of the request, and of an operation that it begins. */
  readonly requestId: string;
  /** Key of the caller, as that of quotas. */
  readonly callerKey: string;
  /** URL of the service for the client, without a slash at the end; null when the gateway does not tell it. */
  readonly baseUrl: string | null;
  /** Offers the gateway a transfer over the data port, for which the call keeps its slot. */
  readonly offerTransfer: OfferTransfer;
  /** Begins an operation in a transfer that the call has offered, and runs it to its end. */
  readonly runOffered: (offered: OfferedOperation) => Promise<void>;
  /** Records that a transfer was refused before it began an operation. */
  readonly recordRefused: (refused: RefusedOperation) => Promise<void>;
  /**
   * Waits, holding no slot, until the operation may have ended or `msMax` is over. Resolves to false when this worker
   * is told to stop: then the method must not wait any longer.
   */
  readonly waitForOperationEnd: (operationId: string, msMax: number) => Promise<boolean>;
}

export interface WriteScope {
  readonly db: Transaction;
  readonly access: Access;
  /** The repository that the call names, if the transaction began with a lock on it; null otherwise. */
  readonly locked: LockedRow | null;
  /** Reads the caller's rights again: they may have been revoked while the call waited for a lock. */
  authorize(): Promise<Access>;
}

export interface OperationScope extends WriteScope {
  /** Id for the call's own operation, by which the client asks for it; further operations have ids of their own. */
  readonly operationId: string;
  /** Records an operation, which runs after the transaction; those of one call run in the order of their beginning. */
  begin(operation: Omit<NewOperation, 'actorId'>): Promise<void>;
  /**
   * Creates a repository together with the operation that makes its bytes; returns its id, or null when the name is
   * taken.
   */
  beginCreation(creation: NewCreation): Promise<number | null>;
  /**
   * Records the deletions of a family, in as many statements as one of them. They run as those of `begin` do; workers of
   * their storages claim those that are not claimed.
   */
  beginDeletions(deletions: readonly NewDeletion[], busyText: string): Promise<void>;
}

export interface WriteContext extends Tools {
  /** Database for reads before the transaction, when slow work lies between. */
  readonly db: Db;
  /** Checks the caller's rights before work that is too slow for a transaction. */
  authorize(): Promise<Access>;
  /**
   * Checks the caller's rights and acts on them, in one transaction. One that locks no repository group may begin with
   * the lock on the repository that the call names: then the rights are read once, unless somebody else has the lock.
   */
  transact<T>(act: (scope: WriteScope) => Promise<T>, lock?: Strength | null): Promise<T>;
  /**
   * Checks the caller's rights and acts on them, as `transact` with `lockRepository`, but in one statement. What keeps it
   * from acting is found afterwards: `answer` throws the client's error.
   */
  actOnRepository<T>(act: RepositoryAct, answer: (acted: ActedOnRepository) => T): Promise<T>;
  /** The same on the level of a holder on a repository group, for a caller who administers the group. */
  actOnRepoGroup<T>(act: RepoGroupAct, answer: (acted: ActedOnRepoGroup) => T): Promise<T>;
  /** The same on an API key of a user whom the caller may edit. */
  actOnApiKey<T>(act: ApiKeyAct, answer: (acted: ActedOnApiKey) => T): Promise<T>;
  /** The same on a user, a user group or both, for a method that names no repository. */
  actOnHolder<T>(act: HolderAct, answer: (acted: Pick<HolderWrite, 'user' | 'userGroup' | 'changed'>) => T): Promise<T>;
  /** Aborts when the call's time is up, or when the client of a call that changes nothing has gone. */
  readonly signal: AbortSignal;
}

export interface OperationContext extends Tools, ByteTools {
  readonly db: Db;
  /** Name of the storage that the gateway has chosen; null in a command of a gateway that chose none. */
  readonly askedStorage: string | null;
  /** Checks the caller's rights before work that is too slow for a transaction, and before any operation begins. */
  authorize(): Promise<Access>;
  /** Fires when the call's time is up, or when this worker is told to stop. */
  readonly signal: AbortSignal;
  /** Checks the caller's rights and acts on them, in a transaction before that of the operation. */
  transact<T>(act: (scope: WriteScope) => Promise<T>): Promise<T>;
  /**
   * Checks the caller's rights and begins operations in one transaction, then runs them to their end. While another
   * operation runs on the repository, waits without slot and transaction. The transaction may begin with the lock on the
   * repository that the call names, as in `WriteContext.transact`.
   */
  runOperation<T>(reserve: (scope: OperationScope) => Promise<T>, lock?: Strength): Promise<T>;
  /** Like `runOperation`, but waits at most `msMax` for the end; after that the operations go on without the caller. */
  runOperationWithin<T>(
    msMax: number,
    reserve: (scope: OperationScope) => Promise<T>,
  ): Promise<{ readonly reserved: T; readonly ended: boolean }>;
}

interface Contexts {
  readonly read: ReadContext;
  readonly write: WriteContext;
  readonly operation: OperationContext;
}

/** The tools that a method's lane adds to its context. */
type LaneTools<O> = O extends { readonly lane: 'metadata' } ? unknown : ByteTools;

type AccessOf<O> = O extends Method & { readonly access: infer X extends keyof Contexts } ? X : never;

/** A list may also be read page by page. */
type LongListOf<Result> = Result extends readonly (infer Entry)[] ? LongList<Entry> : never;

/** What the statement of the rights has read for the result, if the method reads both in one. */
type Shown<N> = N extends keyof ShownWithRights ? { readonly access: { readonly shown: ShownWithRights[N] } } : unknown;

/** Signature of a method's handler, which the method's contract determines. */
export type MethodHandler<N extends ServedName> = (
  args: ArgsOfMethod<Served[N]>,
  context: Contexts[AccessOf<Served[N]>] & LaneTools<Served[N]> & Shown<N>,
) => Promise<ResultOfMethod<Served[N]> | LongListOf<ResultOfMethod<Served[N]>>>;
