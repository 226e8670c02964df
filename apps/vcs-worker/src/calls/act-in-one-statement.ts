import type { EntityRef } from '@trunkline/contracts';
import { lockedObject, type Database } from '@trunkline/db';
import { repeatedCommand } from '../audit/repeated-command.ts';
import type { Acted, ActingParameters, NamedRepository } from '../authz/acting-statement.ts';
import { callerParameters, repositoryNotFound, requireRights, type Access } from '../authz/authorize.ts';
import { crashPoint } from '../crash-points.ts';
import type { Call } from './call.ts';
import { allowingNetworks, demandedPermissions } from './demanded-rights.ts';
import { retryOnForeignKeyViolation } from './retry-on-foreign-key-violation.ts';
import { writingCall } from './transact-as.ts';

/** Runs the statement of a call once. */
export type ActingStatement<Done> = (pool: Database, parameters: ActingParameters) => Promise<Done>;

/** How often the networks of a caller may be others than in the run before. */
const triesMax = 3;

function parametersOf({ method, audited, frame: { request } }: Call) {
  const { caller } = request;
  const entry = audited
    ? { requestId: audited.requestId, method: audited.method, args: JSON.stringify(audited.args) }
    : { requestId: null, method: method.name, args: '{}' };
  return { ...callerParameters(caller), permissions: demandedPermissions(method.permission), ip: caller.ip, ...entry };
}

/** Wraps a statement for runs after one that has waited for a row in vain: they act on the object that it has found. */
function ofOneObject<Done>(statement: ActingStatement<Done>) {
  let formerId: number | null = null;
  return async (pool: Database, parameters: Omit<ActingParameters, 'formerId'>): Promise<Done> => {
    try {
      return await statement(pool, { ...parameters, formerId });
    } catch (error) {
      formerId ??= lockedObject(error) ?? null;
      throw error;
    }
  };
}

/**
 * Runs a statement that reads the caller's rights, acts and records the call, or does nothing and tells why. `answer`
 * then makes the result, or throws the client's error for a statement that did nothing.
 *
 * The caller's address is checked in this process, against networks that a statement has read: it acts only for a caller
 * who has exactly those that it is given.
 */
export async function actInOneStatement<Done extends Acted, T>(
  call: Call,
  ref: EntityRef | null,
  statement: ActingStatement<Done>,
  answer: (done: Done, access: Access<NamedRepository>) => T,
): Promise<T> {
  const { method, audited, environment, frame } = call;
  const asked = { method, caller: frame.request.caller, ref, noteRepository: frame.noteRepository };
  const [parameters, writing, act] = [parametersOf(call), writingCall(call), ofOneObject(statement)];
  let networks = allowingNetworks(call);
  for (let tries = 0; tries < triesMax; tries += 1) {
    const run = (pool: Database, isBrief: boolean) => act(pool, { ...parameters, networks, isBrief });
    const done = await retryOnForeignKeyViolation(() => environment.transactions.runStatement(writing, run));
    const { step, rights } = done;
    if (step === 'done' && audited) {
      crashPoint('act.committed');
      audited.recorded = true;
    }
    const access = requireRights(rights, asked);
    environment.networks.note(rights.userId, rights.networks);
    if (ref && (!access.repository || step === 'missing')) throw repositoryNotFound(ref);
    if (step !== 'refused') {
      const answered = answer(done, access);
      if (step === 'repeated') throw repeatedCommand();
      if (step === 'done') return answered;
    }
    ({ networks } = rights);
  }
  throw new Error(`the database did not do what the call may do: ${method.name}`);
}
