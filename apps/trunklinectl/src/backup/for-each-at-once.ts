/** Repositories that are transferred at once. */
const atOnce = 4;

/** Runs `act` for all items, a few at once; begins no more of them after the first failure, which it throws. */
export async function forEachAtOnce<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const left = [...items].toReversed();
  let failure: { readonly error: unknown } | undefined;
  const run = async () => {
    for (let item = left.pop(); item !== undefined && !failure; item = left.pop()) {
      try {
        await act(item);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, run));
  if (failure) throw failure.error;
}
