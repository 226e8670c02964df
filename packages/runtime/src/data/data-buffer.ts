/**
 * Bytes that one end of a transfer keeps ready in each direction. With less, which is the default of Node.js, a socket is
 * stopped and started again for each of its reads.
 */
export const dataBufferBytes = 256 * 1024;
