import type { RunningCalls } from '@trunkline/runtime';
import type { Dispatch } from './command.ts';

/** Returns a dispatch that lists its calls in `calls` until they are answered. */
export function watchCalls(dispatch: Dispatch, calls: RunningCalls): Dispatch {
  return (command) => {
    const { requestId: id, method, lane } = command;
    return calls.during({ id, method: method.name, lane }, () => dispatch(command));
  };
}
