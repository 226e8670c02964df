import { OperationFailedError } from '@trunkline/contracts';
import { repositoryNotFound } from '../../authz/authorize.ts';
import { requireRepository } from '../../authz/require-repository.ts';
import type { ReadContext } from '../../methods/context.ts';
import { requireSameTree, type ArrivingPush } from './begin-push.ts';
import { refusalOf } from './push-refusal.ts';

export const keepAliveMs = 5_000;

/** Throws the client's error when the caller may not reach the repository any more, or it is another one or elsewhere. */
async function requireStillThere(
  { authorize, db }: Pick<ReadContext, 'authorize' | 'db'>,
  { ref, repository }: ArrivingPush,
): Promise<void> {
  const found = requireRepository(await authorize(db), ref);
  if (found.uuid !== repository.uuid) throw repositoryNotFound(ref);
  requireSameTree(found, repository);
}

/** Records that a push was refused before its operation began, and throws the client's refusal. */
export async function refuseArrived(
  context: Pick<ReadContext, 'authorize' | 'db' | 'recordRefused'>,
  push: ArrivingPush,
  { error, args }: { readonly error: unknown; readonly args: Readonly<Record<string, unknown>> },
): Promise<never> {
  // The client has gone.
  if (push.signal.aborted) throw error;
  // Whatever has failed, a repository that was deleted or moved meanwhile is the reason.
  const refusal = await requireStillThere(context, push).then(
    () => refusalOf(error, push.repository.name),
    (cause: unknown) => refusalOf(cause, push.repository.name),
  );
  if (refusal === null) throw error;
  await context.recordRefused({ method: 'push', args, error: new OperationFailedError(refusal.message) });
  throw refusal;
}
