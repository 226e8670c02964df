import { OutcomeUnknownError } from '@trunkline/contracts';
import type { PushDirectories } from '../../storage/push-directories.ts';

/** Runs a push with a directory of its own, which is removed unless another worker has to end the push. */
export async function withPushDirectory<T>(
  pushes: Pick<PushDirectories, 'create'>,
  operationId: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const directory = await pushes.create(operationId);
  let end: 'remove' | 'leave' = 'remove';
  try {
    return await work(directory.path);
  } catch (error) {
    // The worker that takes the operation over needs what has arrived.
    if (error instanceof OutcomeUnknownError) end = 'leave';
    throw error;
  } finally {
    // What cannot be removed now is left to the sweeps: the push has ended as it has.
    await directory[end]().catch(() => {});
  }
}
