/**
 * Bytes that one end of a transfer keeps ready in each direction. With less, which is the default of Node.js, a socket is
 * stopped and started again for each of its reads.
 */
export const dataBufferBytes = 256 * 1024;

/** Bytes of an answer that its reader has ready. What a slow reader leaves beyond that is in the buffers above. */
export const answerBufferBytes = 64 * 1024;
