import { parseArgs, served, type ArgSpecs, type EntityRef, type Method, type ServedName } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import { auditedCall } from '../audit/audited-call.ts';
import { recordCall } from '../audit/audit-store.ts';
import { recordError } from '../audit/record-error.ts';
import { authorize, type Access } from '../authz/authorize.ts';
import { crashPoint } from '../crash-points.ts';
import { actOnApiKey } from './act-on-api-key.ts';
import { actOnHolder } from './act-on-holder.ts';
import { actOnRepoGroup } from './act-on-repo-group.ts';
import { actOnRepository } from './act-on-repository.ts';
import type { Call } from './call.ts';
import { demandedRights } from './demanded-rights.ts';
import { invokeOperation } from './invoke-operation.ts';
import { keptRead } from './kept-read.ts';
import { keepsReply } from '../kept-replies/keeps-reply.ts';
import { acquireRepositoryQuota } from '../admission/acquire-repository-quota.ts';
import type { OperationContext, ReadContext, WriteContext } from '../methods/context.ts';
import { requireBytes } from './require-bytes.ts';
import { offerTransfer } from './offer-transfer.ts';
import { readWithRights } from './reads-with-rights.ts';
import { recordRefused, runOffered } from './run-offered.ts';
import { queueKeyOf } from './queue-key.ts';
import { retryOnForeignKeyViolation } from './retry-on-foreign-key-violation.ts';
import { transactAs } from './transact-as.ts';
import { handlers } from '../methods/index.ts';
import { lockIfPermitted } from '../repo/lock-repository.ts';
import { requireServed } from '../storage/require-served.ts';
import type { ByteTools } from '../worker-tools.ts';

type AnyHandler = (args: unknown, context: object) => Promise<unknown>;
type Environment = Call['environment'];

/** Runs one call: parses the arguments, checks the rights, runs the handler. Rights are read where the handler acts. */
export async function invoke(environment: Environment, name: ServedName, frame: Call['frame']): Promise<unknown> {
  const { caller } = frame.request;
  const method: Method = served[name];
  const handler = handlers[name] as AnyHandler;
  const args = parseArgs<ArgSpecs>(method.args, frame.request.args);
  const ref = method.permission.repository ? (args['repoid'] as EntityRef) : null;
  const changesData = method.access !== 'read' && (method.changesData?.(args) ?? true);
  const audited = changesData ? auditedCall(method, frame.request) : null;
  const readRights = readWithRights(name, args);
  const authorized = async (db: Db) => {
    const access = await authorize(db, { method, caller, ref, noteRepository: frame.noteRepository }, readRights);
    if (method.lane !== 'metadata' && access.repository && environment.bytes) {
      await requireServed(db, environment.bytes.tools.storages, access.repository, method);
    }
    return access;
  };
  const queueKey = queueKeyOf(args, caller.userId);
  const call: Call = { environment, method, authorized, frame, audited, ref, queueKey };
  try {
    if (keepsReply(name)) {
      return await keptRead(call, args, (access, signal) => handler(args, readContext(call, access, signal)));
    }
    return await handler(args, await contexts[method.access](call));
  } catch (error) {
    if (audited && caller.credential.kind !== 'anonymous') await recordError(environment.transactions, audited, error);
    throw error;
  }
}

type Own<Context> = Omit<Context, keyof Environment['handlerTools']> & Partial<Pick<ByteTools, 'storages'>>;

/** Makes a context that inherits the tools, of which copies would cost more than a call's own work in this tier. */
function withTools<Context>({ environment }: Call, own: Own<Context>): Context {
  return Object.setPrototypeOf(own, environment.handlerTools) as Context;
}

/** Returns the storages that the call concerns: one of them, if the gateway asks each for its part. */
function concernedStorages({ method, frame }: Call, { storages }: ByteTools): ByteTools['storages'] {
  const { storage } = frame.request;
  return method.merge && storage !== undefined ? storages.only(storage) : storages;
}

function readContext(call: Call, access: Access, signal: AbortSignal): ReadContext {
  const { environment, authorized, frame } = call;
  const { slot, request } = frame;
  const { dataPort, db, waitForOperationEnd, stopping } = environment;
  return withTools<ReadContext>(call, {
    db,
    access,
    authorize: authorized,
    signal,
    requestId: request.requestId,
    callerKey: request.callerKey,
    baseUrl: request.baseUrl ?? null,
    offerTransfer: (handler, ended) => offerTransfer({ dataPort, slot, requestId: request.requestId }, handler, ended),
    runOffered: (offered) => runOffered(call, offered),
    recordRefused: (refused) => recordRefused(call, refused),
    async waitForOperationEnd(id, msMax) {
      slot.releaseToWait(`operations of user ${access.user.id}`);
      await waitForOperationEnd({ kind: 'operation', id }, msMax, signal);
      signal.throwIfAborted();
      return !stopping.aborted;
    },
  });
}

const contexts: {
  read: (call: Call) => Promise<ReadContext>;
  write: (call: Call) => WriteContext;
  operation: (call: Call) => OperationContext;
} = {
  read: async (call) => {
    const { slot, signal } = call.frame;
    const access = await call.authorized(call.environment.db);
    if (access.repository) await acquireRepositoryQuota(slot, access.repository.id);
    return readContext(call, access, signal);
  },
  write: (call) =>
    withTools<WriteContext>(call, {
      ...(call.environment.bytes && { storages: concernedStorages(call, call.environment.bytes.tools) }),
      db: call.environment.db,
      signal: call.frame.signal,
      authorize: () => call.authorized(call.environment.db),
      actOnRepository: (act, answer) => actOnRepository(call, act, answer),
      actOnHolder: (act, answer) => actOnHolder(call, act, answer),
      actOnRepoGroup: (act, answer) => actOnRepoGroup(call, act, answer),
      actOnApiKey: (act, answer) => actOnApiKey(call, act, answer),
      async transact(act, lock) {
        const { audited, environment } = call;
        // Whoever may not change the repository waits for nobody.
        if (call.ref && environment.transactions.isAwaited(call.queueKey)) await call.authorized(environment.db);
        const result = await retryOnForeignKeyViolation(() =>
          transactAs(
            call,
            async (scope) => {
              const { user, repository } = scope.access;
              const done = await act(scope);
              crashPoint('write.acted');
              if (audited)
                await recordCall(scope.db, audited, 'succeeded', { ...user, repositoryId: repository?.id ?? null });
              crashPoint('write.audited');
              return done;
            },
            lock && ((tx, ref) => lockIfPermitted(tx, ref, lock, demandedRights(call))),
          ),
        );
        crashPoint('write.committed');
        if (audited) audited.recorded = true;
        return result;
      },
    }),
  operation: (call) =>
    withTools<OperationContext>(call, {
      storages: concernedStorages(call, requireBytes(call).tools),
      db: call.environment.db,
      askedStorage: call.frame.request.storage ?? null,
      authorize: () => call.authorized(call.environment.db),
      get signal() {
        return AbortSignal.any([call.frame.signal, call.environment.stopping]);
      },
      transact: (act) => transactAs(call, act),
      runOperation: async (reserve, lock) => (await invokeOperation(call, null, reserve, lock)).reserved,
      runOperationWithin: (msMax, reserve) => invokeOperation(call, msMax, reserve),
    }),
};
