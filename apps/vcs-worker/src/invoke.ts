import {
  BusyError,
  OperationFailedError,
  operations,
  parseArgs,
  type ArgSpecs,
  type EntityRef,
  type Operation,
  type OperationName,
  type WorkerRequest,
} from '@trunkline/contracts';
import { isForeignKeyViolation, type Database, type Executor } from '@trunkline/db';
import { authorize, type Access } from './authz/authorize.ts';
import type { ClaimedOperation } from './journal/claimed-operation.ts';
import type { Journal } from './journal/journal.ts';
import { RepositoryBusyError } from './journal/journal-store.ts';
import type { Slot } from './nats/lane-slots.ts';
import type { JournalContext, JournalScope, ReadContext, Tools, WriteContext } from './operations/context.ts';
import { handlers } from './operations/index.ts';

export interface Environment {
  readonly tools: Tools;
  readonly db: Database;
  readonly journal: Journal;
  /** Resolves when some operation ended, or after a short while, at most this long. */
  readonly operationEnded: (msMax: number) => Promise<void>;
  /** Fires when this worker is told to stop. */
  readonly stopping: AbortSignal;
}

/** The part of a call that ends with it. */
export interface CallFrame {
  readonly request: WorkerRequest;
  readonly slot: Slot;
  readonly signal: AbortSignal;
  /** By `performance.now()`. */
  readonly deadline: number;
}

type AnyHandler = (args: unknown, context: object) => Promise<unknown>;
type Authorize = (executor: Executor) => Promise<Access>;

/** Runs one call: arguments, then rights, then the handler. Rights are read where the handler acts. */
export async function invoke(environment: Environment, name: OperationName, frame: CallFrame): Promise<unknown> {
  const operation: Operation = operations[name];
  const handler = handlers[name] as AnyHandler;
  const args = parseArgs<ArgSpecs>(operation.args, frame.request.args);
  const ref = operation.permission.repository ? (args['repoid'] as EntityRef) : null;
  const authorized: Authorize = (executor) => authorize(executor, operation.permission, frame.request.caller, ref);
  const context = contexts[operation.access];
  return handler(args, await context(environment, authorized, frame));
}

type MakeContext<C> = (environment: Environment, authorized: Authorize, frame: CallFrame) => C | Promise<C>;

const contexts: {
  read: MakeContext<ReadContext>;
  write: MakeContext<WriteContext>;
  journal: MakeContext<JournalContext>;
} = {
  read: async ({ tools, db }, authorized) => ({ ...tools, db, access: await authorized(db) }),
  write: ({ tools, db }, authorized) => ({
    ...tools,
    authorize: () => authorized(db),
    transact: (act) => oncePerObject(() => db.transaction(async (tx) => act({ db: tx, access: await authorized(tx) }))),
  }),
  journal: (environment, authorized, frame) => ({
    ...environment.tools,
    db: environment.db,
    journal: (reserve) => runJournalled(environment, authorized, frame, reserve),
  }),
};

/** An object that went between being found and being referred to is looked for again, and then missed properly. */
async function oncePerObject<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    return attempt();
  }
}

async function runJournalled<T>(
  environment: Environment,
  authorized: Authorize,
  frame: CallFrame,
  reserve: (scope: JournalScope) => Promise<T>,
): Promise<T> {
  const operationId = frame.request.requestId;
  const { result, begun } = await waitingForRepository(environment, frame, () =>
    environment.db.transaction(async (tx) => {
      const begun: ClaimedOperation[] = [];
      const access = await authorized(tx);
      const begin: JournalScope['begin'] = async (operation) => {
        begun.push(await environment.journal.begin(tx, { ...operation, actorId: access.user.id }));
      };
      return { result: await reserve({ db: tx, access, operationId, begin }), begun };
    }),
  );
  await environment.journal.run(begun, frame.signal);
  return result;
}

/** Tries again, without slot and transaction meanwhile, until the repository is free or the caller's time is up. */
async function waitingForRepository<T>(
  { operationEnded, stopping }: Environment,
  { slot, deadline }: CallFrame,
  attempt: () => Promise<T>,
): Promise<T> {
  const msLeft = () => Math.max(0, deadline - performance.now());
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof RepositoryBusyError)) throw error;
      slot.release();
      await operationEnded(msLeft());
      // Nothing has begun: another worker may do it.
      if (stopping.aborted) throw new BusyError({ cause: error });
      if (msLeft() === 0 || !(await slot.regain(msLeft()))) {
        throw new OperationFailedError(error.clientText, { cause: error });
      }
    }
  }
}
