const chunkSize = 1_000;

/** Runs `act` for all rows, by statements of bounded size. */
export async function inChunks<T>(rows: readonly T[], act: (chunk: T[]) => PromiseLike<unknown>): Promise<void> {
  for (let from = 0; from < rows.length; from += chunkSize) await act(rows.slice(from, from + chunkSize));
}
