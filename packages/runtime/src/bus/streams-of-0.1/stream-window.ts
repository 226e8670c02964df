/** Eighths of its window that a new stream has; it gets one more each time its reader has read half a window. */
const eighthsAtFirst = 2;

/**
 * Creates the flow-control window of a receiver: the bytes received but not yet read, and the sender's credit, which
 * like all offsets is counted from the first byte of the stream. A reader that takes little never has a whole window.
 */
export function createStreamWindow(length: number | null, windowBytes: number) {
  const queue: Uint8Array[] = [];
  let received = 0;
  let bytesRead = 0;
  const size = () => (windowBytes / 8) * Math.min(8, eighthsAtFirst + Math.floor((2 * bytesRead) / windowBytes));
  let credit = size();
  return {
    get isEmpty() {
      return queue.length === 0;
    },
    get bytesRead() {
      return bytesRead;
    },
    get credit() {
      return credit;
    },
    /** Queues a chunk that is the next one and within the credit; returns false for any other chunk. */
    accept(at: number | null, chunk: Uint8Array): boolean {
      const end = received + chunk.length;
      if (chunk.length === 0 || at !== received || end > credit || end > (length ?? end)) return false;
      received = end;
      queue.push(chunk);
      return true;
    },
    isComplete: (sent: number | null): boolean => sent === received && received === (length ?? received),
    take(): Uint8Array | undefined {
      const chunk = queue.shift();
      bytesRead += chunk?.length ?? 0;
      return chunk;
    },
    /** Raises the credit when an eighth of the window has been read since the last renewal; returns whether it did. */
    renew(): boolean {
      const next = bytesRead + size();
      if (next - credit < windowBytes / 8) return false;
      credit = next;
      return true;
    },
    clear() {
      queue.length = 0;
    },
  };
}
