/** What a render thread says: once that it is ready, then one answer for each task. */
export type ThreadMessage = { kind: 'ready' } | { kind: 'done'; html: string } | { kind: 'failed' };
