// Semaphores, caches and limits of all processes. p-queue and async-mutex limit neither queue nor keys, cockatiel's
// bulkhead has no timeout of the wait, and their present releases need Node 22; lru-cache limits the caches.
export { batched } from './batched.ts';
export { CoalescingCache, type CacheFigures } from './coalescing-cache.ts';
export { Condition } from './waits.ts';
export { createThreadPool, type ThreadPool } from './thread-pool.ts';
export { serveTasks } from './serve-tasks.ts';
export { KeyedCounter } from './keyed-counter.ts';
export { canLock, lockFile } from './lock-file.ts';
export { RateLimiter, type RateLimits } from './rate-limiter.ts';
export { Semaphore } from './semaphore.ts';
export type { RefusalReason } from './wait-queue.ts';
export { SingleFlight } from './single-flight.ts';
export { SlowReaders, type ReadPieces } from './slow-readers.ts';
export { withTimeout } from './waits.ts';
export { processorWaitMs } from './processor-wait.ts';
