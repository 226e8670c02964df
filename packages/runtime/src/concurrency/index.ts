// The waiting code of all processes. p-queue and async-mutex bound neither queue nor keys, cockatiel's bulkhead has no
// time limit for the wait, and their present releases need Node 22; lru-cache bounds what is remembered.
export { CoalescingCache } from './coalescing-cache.ts';
export { KeyedCounter } from './keyed-counter.ts';
export { RateLimiter, type RateLimits } from './rate-limiter.ts';
export { Semaphore, type RefusalReason } from './semaphore.ts';
export { SingleFlight } from './single-flight.ts';
export { withTimeout } from './with-timeout.ts';
