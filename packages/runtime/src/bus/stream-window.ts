/** The bytes that have come and are not yet handed on, and how many more may be sent. */
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
    /** Whether the chunk is the next one and was asked for; then it is kept. */
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
    /** Raises the credit when a quarter of the window has been handed on since it was raised; tells whether it did. */
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
