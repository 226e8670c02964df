import { quoteText } from '@trunkline/db';
import { is, Placeholder } from 'drizzle-orm';

interface Query {
  getQuery(): { readonly sql: string; readonly params: readonly unknown[] };
}

/** Renders a prepared query for the body of a function whose first parameters are those of the query, by position. */
export function renderQuery(query: Query, parameters: readonly string[]): string {
  const { sql, params } = query.getQuery();
  const textOf = (parameter: unknown) =>
    is(parameter, Placeholder) ? `$${parameters.indexOf(parameter.name) + 1}` : quoteText(String(parameter));
  return sql
    .replaceAll(/\$(\d+)/g, (_, number) => textOf(params[Number(number) - 1]))
    .replaceAll(' left join ', '\nleft join ')
    .split('\n')
    .map((line) => line.trim())
    .join('\n      ');
}
