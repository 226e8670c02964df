type Begin = (signal: AbortSignal) => AsyncGenerator<Uint8Array, void, undefined>;

/**
 * Returns a generator's values as a stream. A reader that stops early aborts the generator's pending step, for which
 * the generator's own `return` would wait.
 */
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
