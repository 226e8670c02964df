type Begin = (signal: AbortSignal) => AsyncGenerator<Uint8Array, void, undefined>;

/** What a generator gives; but who stops reading aborts the step it is at, for which a generator alone would wait. */
export function endableStream(begin: Begin, outer?: AbortSignal): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const controller = new AbortController();
      const { signal } = controller;
      const generator = begin(outer ? AbortSignal.any([signal, outer]) : signal);
      return {
        next: () => generator.next(),
        async return() {
          controller.abort();
          await generator.return();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
