/** A message of a render thread: `ready` once, then one answer for each task. */
export type ThreadMessage = { kind: 'ready' } | { kind: 'done'; html: string } | { kind: 'failed' };
