import { plannerSettings, type Database } from '@trunkline/db';
import postgres from 'postgres';
import * as v from 'valibot';

type Parameter = string | number | boolean | null | readonly number[];

interface Statement {
  readonly text: string;
  readonly parameters: readonly Parameter[];
}

const Plan = v.looseObject({
  'Node Type': v.string(),
  'Relation Name': v.optional(v.string()),
  'Index Name': v.optional(v.string()),
  'Actual Rows': v.number(),
  'Actual Loops': v.number(),
  'Rows Removed by Filter': v.optional(v.number(), 0),
  'Rows Removed by Index Recheck': v.optional(v.number(), 0),
  Plans: v.optional(v.array(v.unknown()), []),
});
type PlanNode = v.InferOutput<typeof Plan>;

export interface Cost {
  /** Rows that scans of tables and their indexes gave or passed over. */
  readonly rows: number;
  /** Tables that were read from end to end. */
  readonly scanned: readonly string[];
  /** Indexes that were read. `rows` has none of the entries that an index passes over by itself. */
  readonly indexes: readonly string[];
}

function* nodesOf(value: unknown): Iterable<PlanNode> {
  const node = v.parse(Plan, value);
  yield node;
  for (const child of node.Plans) yield* nodesOf(child);
}

function costOf(nodes: readonly PlanNode[]): Cost {
  const scans = nodes.filter((node) => node['Relation Name'] !== undefined);
  const rowsOf = (node: PlanNode) =>
    (node['Actual Rows'] + node['Rows Removed by Filter'] + node['Rows Removed by Index Recheck']) *
    node['Actual Loops'];
  const sequential = scans.filter((node) => node['Node Type'] === 'Seq Scan' && node['Actual Loops'] > 0);
  return {
    rows: Math.round(scans.reduce((sum, node) => sum + rowsOf(node), 0)),
    scanned: sequential.map((node) => node['Relation Name'] ?? ''),
    indexes: scans.flatMap((node) => node['Index Name'] ?? []),
  };
}

/** Returns the options that the driver of a pool looks at for each statement. */
function driverOptions(db: Database): object {
  const client: unknown = Reflect.get(db, '$client');
  const options: unknown = typeof client === 'function' ? Reflect.get(client, 'options') : null;
  if (typeof options !== 'object' || options === null) throw new Error('the pool has no options');
  return options;
}

/** Returns the statements that the driver sends while `act` runs on this pool. */
export async function statementsOf(db: Database, act: () => Promise<unknown>): Promise<Statement[]> {
  const options = driverOptions(db);
  const found: Statement[] = [];
  Reflect.set(options, 'debug', (_connection: number, text: string, parameters: readonly Parameter[]) => {
    // Only queries have a plan.
    if (/^\s*\(?(select|with)\b/i.test(text)) found.push({ text, parameters });
  });
  try {
    await act();
  } finally {
    Reflect.deleteProperty(options, 'debug');
  }
  return found;
}

function literal(value: Parameter): string {
  if (value === null) return 'null';
  const text = typeof value === 'object' ? `{${value.join(',')}}` : String(value);
  return `'${text.replaceAll("'", "''")}'`;
}

/** Runs `act`, and its statements again with `explain`, as prepared statements; `planCacheMode` is that of Postgres. */
export async function explain(
  db: Database,
  url: string,
  planCacheMode: string,
  act: () => Promise<unknown>,
): Promise<Cost> {
  const statements = await statementsOf(db, act);
  if (statements.length === 0) throw new Error('no statement was seen');
  const sql = postgres(url, { max: 1, connection: { ...plannerSettings, plan_cache_mode: planCacheMode } });
  try {
    const nodes: PlanNode[] = [];
    for (const { text, parameters } of statements) {
      await sql.unsafe(`prepare measured as ${text}`);
      const given = parameters.length === 0 ? '' : `(${parameters.map(literal).join(', ')})`;
      const [row] = await sql.unsafe(`explain (analyze, buffers, format json) execute measured ${given}`);
      await sql.unsafe('deallocate measured');
      const [top] = v.parse(v.array(v.object({ Plan: v.unknown() })), row?.['QUERY PLAN']);
      nodes.push(...nodesOf(top?.Plan));
    }
    return costOf(nodes);
  } finally {
    await sql.end();
  }
}
