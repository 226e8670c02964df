import { AsyncLocalStorage } from 'node:async_hooks';

/** The caller of the read that is being run, by which its commands take turns; absent while an operation runs. */
export const commandCaller = new AsyncLocalStorage<string>();
