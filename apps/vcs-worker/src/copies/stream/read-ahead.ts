/**
 * Begins the reads of up to `limit` items at once, and yields their results in the order of the items. When the reader
 * leaves or a read fails, each result that was not yielded is left to `leave`.
 */
export async function* readAhead<Item, Result>(
  items: AsyncIterable<Item>,
  limit: number,
  read: (item: Item) => Promise<Result>,
  leave: (result: Result) => void,
): AsyncGenerator<Result> {
  const begun: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      const reading = read(item);
      // Its failure is thrown when its turn comes.
      reading.catch(() => {});
      begun.push(reading);
      const [first] = begun;
      if (begun.length < limit || !first) continue;
      const result = await first;
      void begun.shift();
      yield result;
    }
    for (let first = begun.shift(); first; first = begun.shift()) yield await first;
  } finally {
    for (const reading of begun) reading.then(leave, () => {});
  }
}
