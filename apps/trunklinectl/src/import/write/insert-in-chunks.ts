const chunkSize = 1_000;

/** Inserts rows by statements of bounded size. */
export async function insertInChunks<T>(
  rows: readonly T[],
  insert: (chunk: T[]) => PromiseLike<unknown>,
): Promise<void> {
  for (let from = 0; from < rows.length; from += chunkSize) await insert(rows.slice(from, from + chunkSize));
}
