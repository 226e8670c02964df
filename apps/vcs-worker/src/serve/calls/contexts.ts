import { recordCall } from '../../domain/audit/audit-store.ts';
import { authorize, rightsParameters, type Access } from '../../authz/authorize.ts';
import { requireRepository } from '../../authz/require-repository.ts';
import { crashPoint } from '../../crash-points.ts';
import { cachedReply } from './cached-read.ts';
import { type Call, requireRepositoryService } from './call.ts';
import { invokeOperation } from './invoke-operation.ts';
import { acquireRepositoryQuota } from '../admission/lane-slots.ts';
import type { OperationContext, ReadContext, WriteContext } from '../../methods/context.ts';
import { offerTransfer } from './offer-transfer.ts';
import { recordRefused, runOffered } from './run-offered.ts';
import { type Around, transactAs } from './transact-as.ts';
import { lockIfPermitted } from '../../domain/repo/lock-repository.ts';
import type { RepositoryTools } from '../../worker-tools.ts';
import type { Strength, WriteScope } from '../../write-scope.ts';

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
    async requireOther(ref) {
      const asked = { method: call.method, caller: request.caller, ref, noteRepository: () => {} };
      return requireRepository(await authorize(db, asked), ref);
    },
    signal,
    requestId: request.requestId,
    callerKey: request.callerKey,
    baseUrl: request.baseUrl ?? null,
    cachedReply: (repository, key, makeResult) => cachedReply(call, repository, key, makeResult),
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

const asItIs = (scope: WriteScope) => scope;

/** Returns what the transaction of a write does around its handler: it locks if it is told to, and records the call. */
function aroundWrite({ frame, method, audited }: Call, strength: Strength | null = null): Around<WriteScope> {
  const rights = () => rightsParameters(frame.request.caller, method.permission);
  return {
    lock: strength && ((tx, ref) => lockIfPermitted(tx, ref, strength, rights())),
    open: asItIs,
    async record({ db, access: { user, repository } }) {
      crashPoint('write.acted');
      if (audited) await recordCall(db, audited, 'succeeded', { ...user, repositoryId: repository?.id ?? null });
      crashPoint('write.audited');
    },
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
      // A caller without the right does not join those that wait for the repository.
      if (call.ref && environment.transactions.isAwaited(call.objectKey)) await call.authorized(environment.db);
      const { result } = await transactAs(call, act, aroundWrite(call, lock));
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
    async transact(act) {
      return (await transactAs(call, act, { lock: null, open: asItIs, record: async () => {} })).result;
    },
    runOperation({ lock, msMax }, reserve) {
      const background = msMax === undefined ? null : { msMax, slot: call.frame.slot };
      return invokeOperation(call, { lock, background }, reserve);
    },
    ...call.environment.tools,
    ...repositoryToolsOf(call),
  }),
};
