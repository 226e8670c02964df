const grammar = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns whether a text is a UUID in the form that Postgres and Node.js write. */
export function isUuid(text: string): boolean {
  return grammar.test(text);
}
