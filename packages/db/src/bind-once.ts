import { is, Param, Placeholder, type Query } from 'drizzle-orm';
import type { Sql } from 'postgres';

type Values = Readonly<Record<string, unknown>>;

/** What a prepared query of drizzle has for its execution, beside what its types show. */
interface BoundQuery {
  query: Query;
  queryString: string;
  params: unknown[];
  customResultMapper?: (rows: readonly (readonly unknown[])[]) => unknown;
  execute: (values?: Values) => Promise<unknown>;
  readonly client?: Partial<Pick<Sql, 'unsafe'>>;
}

/** Where the value of a parameter comes from: a name, by which the caller gives it, or the statement itself. */
interface Source {
  readonly name: string | null;
  readonly value: unknown;
  readonly encoder: { mapToDriverValue(value: unknown): unknown } | null;
}

function sourceOf(parameter: unknown): Source {
  if (is(parameter, Placeholder)) return { name: parameter.name, value: null, encoder: null };
  if (!is(parameter, Param) || !is(parameter.value, Placeholder))
    return { name: null, value: parameter, encoder: null };
  return { name: parameter.value.name, value: null, encoder: parameter.encoder };
}

/** Returns the text and the parameters of a query that sends what has one name once, however often its text has it. */
function withoutRepeats({ sql, params }: Query): { readonly text: string; readonly params: readonly unknown[] } {
  const kept: { readonly parameter: unknown; readonly source: Source }[] = [];
  const positions = params.map((parameter) => {
    const source = sourceOf(parameter);
    const known = kept.findIndex(
      (one) => source.name !== null && one.source.name === source.name && one.source.encoder === source.encoder,
    );
    return known < 0 ? kept.push({ parameter, source }) : known + 1;
  });
  const text = sql.replaceAll(/\$(\d+)/g, (_, number) => `$${positions[Number(number) - 1]}`);
  return { text, params: kept.map(({ parameter }) => parameter) };
}

function valueOf({ name, value, encoder }: Source, values: Values): unknown {
  if (name === null) return value;
  if (!(name in values)) throw new Error(`No value for placeholder "${name}" was provided`);
  return encoder ? encoder.mapToDriverValue(values[name]) : values[name];
}

/**
 * Has a prepared query hand its values to the driver itself, each once: drizzle goes through five functions, and sends the
 * value of a placeholder as often as the text has it. Errors are those of the driver.
 */
export function bindOnce<Q extends object>(query: Q): Q {
  const bound = query as Q & BoundQuery;
  const { text, params } = withoutRepeats({ sql: bound.queryString, params: bound.params });
  const { customResultMapper: toRows } = bound;
  const sources = params.map(sourceOf);
  bound.queryString = text;
  bound.params = [...params];
  bound.query = { sql: text, params: bound.params };
  bound.execute = async function execute(this: BoundQuery, values = {}) {
    if (typeof this.client?.unsafe !== 'function') throw new Error('the query belongs to no connection');
    const sent = sources.map((source) => valueOf(source, values));
    const pending = this.client.unsafe(text, sent as never[], { prepare: true });
    return toRows ? toRows(await pending.values()) : pending;
  };
  return query;
}
