import { parseArgs, served, type ArgSpecs, type EntityRef, type Method, type ServedName } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import { authorize } from '../../authz/authorize.ts';
import { isReplyCached, joinsCachedReplies } from '../../cache/reply-cache.ts';
import { auditedCall } from '../../domain/audit/audited-call.ts';
import { recordError } from '../../domain/audit/refusal-store.ts';
import type { ReadWithRights } from '../../methods/context.ts';
import { handlers } from '../../methods/index.ts';
import { requireServed } from '../../storage/require-storage.ts';
import { cachedRead } from './cached-read.ts';
import type { Call } from './call.ts';
import { contexts, readContext } from './contexts.ts';

const names = ['repoid', 'repogroupid', 'usersgroupid', 'usergroupid', 'userid'];

/** Returns the key of the first object that a call names by id or name, or else that of its caller. */
export function objectKeyOf(args: object, callerId: number): string {
  const given = new Map<string, unknown>(Object.entries(args));
  for (const name of names) {
    const ref = given.get(name);
    if (typeof ref === 'object' && ref !== null && 'sent' in ref) return `${name} ${String(ref.sent)}`;
  }
  return `caller ${callerId}`;
}

interface AnyHandler {
  (args: unknown, context: object): Promise<unknown>;
  readonly readWithRights?: ReadWithRights<unknown, unknown>;
}

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
  // A handler of `handlerWithRights` has its own statement, which reads what it shows together with the rights.
  const { readWithRights } = handler;
  const readRights = readWithRights && ((db: Db) => readWithRights(db, caller, args));
  const authorized = async (db: Db) => {
    const access = await authorize(db, { method, caller, ref, noteRepository: frame.noteRepository }, readRights);
    if (method.lane !== 'metadata' && access.repository && environment.repositoryService) {
      await requireServed(db, environment.repositoryService.tools.storages, access.repository, method);
    }
    return access;
  };
  const objectKey = objectKeyOf(args, caller.userId);
  const call: Call = { environment, method, authorized, frame, audited, ref, objectKey };
  try {
    if (isReplyCached(name)) {
      return await cachedRead(call, args, (access, signal) => handler(args, readContext(call, access, signal)));
    }
    // It takes a slot for those replies alone that have to be made.
    if (joinsCachedReplies(name)) {
      return await handler(args, readContext(call, await authorized(environment.db), frame.signal));
    }
    return await handler(args, await contexts[method.access](call));
  } catch (error) {
    if (audited && caller.credential.kind !== 'anonymous') await recordError(environment.transactions, audited, error);
    throw error;
  }
}
