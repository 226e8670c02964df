/** A message of a thread: `ready` once, then one answer for each task. */
export type ThreadMessage<Result> = { kind: 'ready' } | { kind: 'done'; result: Result } | { kind: 'failed' };
