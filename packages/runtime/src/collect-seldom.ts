import { setFlagsFromString } from 'node:v8';

/** V8's flag for the growth of the old generation after which it is collected, in percent of what lives. */
const collectionFlag = '--heap-growing-percent=300';

/**
 * Has all garbage of this process collected when the old generation has grown fourfold, as V8 does in a process that is
 * always busy. In one that has rested V8 collects at a growth of 30 percent, in which the bytes of buffers count: once a
 * second beside downloads, and each time the event loop stands still for 25 ms, or longer where it waits for a core. Limits
 * of memory stay as they are, and garbage is still collected during a rest.
 */
export function collectSeldom(): void {
  setFlagsFromString(collectionFlag);
}
