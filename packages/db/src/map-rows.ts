import { Column, getTableName, is, noopDecoder, SQL, Subquery } from 'drizzle-orm';

interface Decoder {
  mapFromDriverValue(value: unknown): unknown;
}

type Field = Column | SQL | SQL.Aliased | Subquery;

interface OrderedField {
  readonly path: readonly string[];
  readonly field: Field;
}

/** What a query of drizzle has for the conversion of rows, beside what its types show. */
interface MappableQuery {
  readonly fields: readonly OrderedField[] | undefined;
  readonly joinsNotNullableMap?: Readonly<Record<string, boolean>>;
  customResultMapper?: (rows: readonly (readonly unknown[])[]) => unknown;
}

/** A member of a record: the value of a column, decoded unless the driver has done that, or a record. */
interface Member {
  readonly name: string;
  readonly index: number;
  readonly decoder: Decoder | null;
  readonly members: Members | null;
}

interface Members {
  readonly list: Member[];
  /** Columns of the record that belong to tables. */
  readonly columns: { readonly index: number; readonly table: string }[];
  /** Index of the column that is null where the joined table has no row; -1 where it has one in any case. */
  absentIf: number;
}

const emptyMembers = (): Members => ({ list: [], columns: [], absentIf: -1 });

/** Returns what converts a driver's value to that of a field; null for values that stay as they are. */
function decoderOf(field: Field): Decoder | null {
  const holder: object = is(field, Column) ? { decoder: field } : sqlOf(field);
  const decoder = Reflect.get(holder, 'decoder') as Decoder;
  const isPlain = decoder === noopDecoder || decoder.mapFromDriverValue === Column.prototype.mapFromDriverValue;
  return isPlain ? null : decoder;
}

function sqlOf(field: Exclude<Field, Column>): SQL {
  if (is(field, SQL)) return field;
  return is(field, Subquery) ? field._.sql : field.sql;
}

function addField(to: Members, { path: [name = '', ...rest], field }: OrderedField, index: number): void {
  if (rest.length === 0) {
    if (is(field, Column)) to.columns.push({ index, table: getTableName(field.table) });
    to.list.push({ name, index, decoder: decoderOf(field), members: null });
    return;
  }
  let child = to.list.find((one) => one.name === name)?.members;
  if (!child) {
    child = emptyMembers();
    to.list.push({ name, index, decoder: null, members: child });
  }
  addField(child, { path: rest, field }, index);
}

/** Finds by which column the records of joined tables are null: the first one, if all columns are of one such table. */
function findAbsent({ list }: Members, isJoinedAlways: Readonly<Record<string, boolean>>): void {
  for (const { members } of list) {
    const [first, ...further] = members?.columns ?? [];
    const isOneTable = first !== undefined && further.every(({ table }) => table === first.table);
    if (members && isOneTable && isJoinedAlways[first.table] !== true) members.absentIf = first.index;
  }
}

function build({ list, absentIf }: Members, row: readonly unknown[]): Record<string, unknown> | null {
  if (absentIf >= 0 && row[absentIf] === null) return null;
  const record: Record<string, unknown> = {};
  for (const { name, index, decoder, members } of list) {
    const value = row[index];
    if (members) record[name] = build(members, row);
    else record[name] = decoder === null || value === null ? value : decoder.mapFromDriverValue(value);
  }
  return record;
}

/**
 * Has a prepared query convert its rows by a plan that is made once. The results are those of drizzle, which finds out
 * for each column of each row how to convert it, and takes several times as long.
 */
export function mapRowsByPlan<Query>(query: Query): Query {
  const mappable = query as Query & MappableQuery;
  const { fields, joinsNotNullableMap, customResultMapper } = mappable;
  if (!fields || customResultMapper) return query;
  const members = emptyMembers();
  for (const [index, field] of fields.entries()) addField(members, field, index);
  if (joinsNotNullableMap) findAbsent(members, joinsNotNullableMap);
  mappable.customResultMapper = (rows) => rows.map((row) => build(members, row));
  return query;
}
