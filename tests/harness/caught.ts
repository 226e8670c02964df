/** A promise whose rejection is expected later: until then it must not count as unhandled. */
export function caught<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
