import type { ArgsOfMethod, Caller, EntityRef, Method, ResultOfMethod, Served, ServedName } from '@trunkline/contracts';
import type { Database, Db } from '@trunkline/db';
import type { Access, RepositoryAccess, Rights } from '../authz/authorize.ts';
import type { EncodedReply, JoiningName } from '../cache/reply-cache.ts';
import type { OfferTransfer } from '../serve/calls/offer-transfer.ts';
import type { OfferedOperation, RefusedOperation } from '../serve/calls/run-offered.ts';
import type { LongList } from './read-list.ts';
import type { RepositoryTools, Tools } from '../worker-tools.ts';
import type { OperationScope, Strength, WriteScope } from '../write-scope.ts';

/** Context of a method that changes nothing; the caller's rights are checked. */
export interface ReadContext extends Tools {
  readonly db: Database;
  readonly access: Access;
  /** Reads the caller's rights again, for work that goes on after the first answer; throws when they do not suffice. */
  readonly authorize: (db: Db) => Promise<Access>;
  /** Returns another repository than that of the call, where its caller might make the same call; throws as for that one. */
  readonly requireOther: (ref: EntityRef) => Promise<RepositoryAccess>;
  /** Aborts when the client has gone or the call's time is up: what the call has started must end then. */
  readonly signal: AbortSignal;
  /** Id of the request, and of an operation that it begins. */
  readonly requestId: string;
  /** Key of the caller, as that of quotas. */
  readonly callerKey: string;
  /** URL of the service for the client, without a slash at the end; null when the gateway does not tell it. */
  readonly baseUrl: string | null;
  /** Returns a cached reply about a repository, or makes it by `makeResult`: only then the call needs a slot. */
  readonly cachedReply: (
    repository: RepositoryAccess,
    key: { readonly name: ServedName | 'last_changes'; readonly args: object },
    makeResult: (signal: AbortSignal) => Promise<unknown>,
  ) => Promise<Uint8Array>;
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
  /** Aborts when the call's time is up, or when the client of a call that changes nothing has gone. */
  readonly signal: AbortSignal;
}

export interface OperationContext extends Tools, RepositoryTools {
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
   * Checks the caller's rights and begins operations in one transaction, then runs them to their end, or for `msMax` at
   * most: after that the operations go on without the caller. While another operation runs on the repository, waits without
   * slot and transaction. The transaction may begin with the lock on the repository that the call names, as in
   * `WriteContext.transact`.
   */
  runOperation<T>(
    options: { readonly lock?: Strength; readonly msMax?: number },
    reserve: (scope: OperationScope) => Promise<T>,
  ): Promise<{ readonly reserved: T; readonly ended: boolean }>;
}

interface Contexts {
  readonly read: ReadContext;
  readonly write: WriteContext;
  readonly operation: OperationContext;
}

/** The tools that a method's lane adds to its context. */
type LaneTools<O> = O extends { readonly lane: 'metadata' } ? unknown : RepositoryTools;

type AccessOf<O> = O extends Method & { readonly access: infer X extends keyof Contexts } ? X : never;

/** A list may also be encoded, or read page by page. */
type EncodedListOf<Result> = Result extends readonly (infer Entry)[] ? EncodedReply | LongList<Entry> : never;

type JoinedReplyOf<N> = N extends JoiningName ? EncodedReply : never;

/** Signature of a method's handler, which the method's contract determines. */
export type MethodHandler<N extends ServedName> = (
  args: ArgsOfMethod<Served[N]>,
  context: Contexts[AccessOf<Served[N]>] & LaneTools<Served[N]>,
) => Promise<ResultOfMethod<Served[N]> | EncodedListOf<ResultOfMethod<Served[N]>> | JoinedReplyOf<N>>;

/** Reads the caller's rights and, in the same statement, what the result shows; undefined without such a caller. */
export type ReadWithRights<Args, Shown> = (
  db: Db,
  caller: Caller,
  args: Args,
) => Promise<(Rights<RepositoryAccess> & { readonly shown: Shown }) | undefined>;

/** A handler whose method has a statement of its own for the caller's rights. */
export interface HandlerWithRights<N extends ServedName> {
  (args: ArgsOfMethod<Served[N]>, context: ReadContext): Promise<ResultOfMethod<Served[N]>>;
  readonly readWithRights: ReadWithRights<ArgsOfMethod<Served[N]>, unknown>;
}

/**
 * Returns the handler of a method that makes one round trip: `read` reads the caller's rights and the result's row, and
 * `toResult` is called when the rights suffice.
 */
export function handlerWithRights<N extends ServedName, Shown>(
  read: ReadWithRights<ArgsOfMethod<Served[N]>, Shown>,
  toResult: (shown: Shown, context: ReadContext, args: ArgsOfMethod<Served[N]>) => ResultOfMethod<Served[N]>,
): HandlerWithRights<N> {
  const handle = async (args: ArgsOfMethod<Served[N]>, context: ReadContext) =>
    toResult(context.access.shown as Shown, context, args);
  return Object.assign(handle, { readWithRights: read });
}
