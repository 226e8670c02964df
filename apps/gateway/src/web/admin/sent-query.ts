/** Returns the query parameters of these names, trimmed and without empty ones. */
export function sentQuery(query: URLSearchParams, names: readonly string[]): Readonly<Record<string, string>> {
  const sent = names.map((name) => [name, query.get(name)?.trim() ?? ''] as const);
  return Object.fromEntries(sent.filter(([, value]) => value !== ''));
}
