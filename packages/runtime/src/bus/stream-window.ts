/** The flow-control window of a receiver: the bytes received and not yet read, and the credit of the sender. */
export function createStreamWindow(length: number | null, windowBytes: number) {
  const queue: Uint8Array[] = [];
  let received = 0;
  let handedOn = 0;
  let credit = windowBytes;
  return {
    get isEmpty() {
      return queue.length === 0;
    },
    get handedOn() {
      return handedOn;
    },
    get credit() {
      return credit;
    },
    /** Queues a chunk that is the next one and within the credit; false for any other. */
    accept(at: number | null, chunk: Uint8Array): boolean {
      const end = received + chunk.length;
      if (chunk.length === 0 || at !== received || end > credit || end > (length ?? end)) return false;
      received = end;
      queue.push(chunk);
      return true;
    },
    isWhole: (sent: number | null): boolean => sent === received && received === (length ?? received),
    take(): Uint8Array | undefined {
      const chunk = queue.shift();
      handedOn += chunk?.length ?? 0;
      return chunk;
    },
    /** Raises the credit when a quarter of the window has been read since the last time; returns whether it did. */
    renew(): boolean {
      const next = handedOn + windowBytes;
      if (next - credit < windowBytes / 4) return false;
      credit = next;
      return true;
    },
    clear() {
      queue.length = 0;
    },
  };
}
