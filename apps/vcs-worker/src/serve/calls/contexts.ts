import { recordCall } from '../../domain/audit/audit-store.ts';
import { callerParameters, demandedRights, type Access } from '../../authz/authorize.ts';
import { crashPoint } from '../../crash-points.ts';
import { cachedReply } from './cached-read.ts';
import { type Call, requireRepositoryService } from './call.ts';
import { invokeOperation, invokeOperationWithin } from './invoke-operation.ts';
import { acquireRepositoryQuota } from '../admission/lane-slots.ts';
import type { OperationContext, ReadContext, WriteContext } from '../../methods/context.ts';
import { offerTransfer } from './offer-transfer.ts';
import { recordRefused, runOffered } from './run-offered.ts';
import { retryOnForeignKeyViolation, transactAs } from './transact-as.ts';
import { lockIfPermitted } from '../../domain/repo/lock-repository.ts';
import type { RepositoryTools } from '../../worker-tools.ts';

/** Returns the repository tools; where the gateway asks each storage for its part, those of this storage alone. */
function repositoryToolsOf(call: Call): RepositoryTools {
  const { tools } = requireRepositoryService(call);
  const { storage } = call.frame.request;
  return call.method.merge && storage !== undefined ? { ...tools, storages: tools.storages.only(storage) } : tools;
}

/** Returns the tools that the lane of a method adds to its context. */
function laneToolsOf(call: Call): RepositoryTools | null {
  return call.method.lane === 'metadata' ? null : repositoryToolsOf(call);
}

// Tools follow a context's own members: V8 copies them in two microseconds then, and in fifty when they come first.
export function readContext(call: Call, access: Access, signal: AbortSignal): ReadContext {
  const { environment, authorized, frame } = call;
  const { slot, request } = frame;
  const { dataPort, db, waitForOperationEnd, stopping } = environment;
  return {
    db,
    access,
    authorize: authorized,
    signal,
    requestId: request.requestId,
    callerKey: request.callerKey,
    baseUrl: request.baseUrl ?? null,
    cachedReply: (repository, key, run) => cachedReply(call, repository, key, run),
    offerTransfer: (handler, ended) => offerTransfer({ dataPort, slot, requestId: request.requestId }, handler, ended),
    runOffered: (offered) => runOffered(call, offered),
    recordRefused: (refused) => recordRefused(call, refused),
    async waitForOperationEnd(id, msMax) {
      slot.releaseToWait(`operations of user ${access.user.id}`);
      await waitForOperationEnd({ kind: 'operation', id }, msMax, signal);
      signal.throwIfAborted();
      return !stopping.aborted;
    },
    ...environment.tools,
    ...laneToolsOf(call),
  };
}

export const contexts: {
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
  write: (call) => ({
    db: call.environment.db,
    signal: call.frame.signal,
    authorize: () => call.authorized(call.environment.db),
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
          lock &&
            ((tx, ref) => {
              const rights = {
                ...callerParameters(call.frame.request.caller),
                ...demandedRights(call.method.permission),
              };
              return lockIfPermitted(tx, ref, lock, rights);
            }),
        ),
      );
      crashPoint('write.committed');
      if (audited) audited.recorded = true;
      return result;
    },
    ...call.environment.tools,
    ...laneToolsOf(call),
  }),
  operation: (call) => ({
    db: call.environment.db,
    askedStorage: call.frame.request.storage ?? null,
    authorize: () => call.authorized(call.environment.db),
    get signal() {
      return AbortSignal.any([call.frame.signal, call.environment.stopping]);
    },
    transact: (act) => transactAs(call, act),
    runOperation: (reserve, lock) => invokeOperation(call, reserve, lock),
    runOperationWithin: (msMax, reserve) => invokeOperationWithin(call, msMax, reserve),
    ...call.environment.tools,
    ...repositoryToolsOf(call),
  }),
};
