import { cutCell, toCell, type Cell } from './cell.ts';
import { fitWidths } from './fit-widths.ts';

/** A result as lines for people. */
export interface Table {
  readonly text: string;
  /** Whether values or columns are not shown as a whole. */
  readonly isCut: boolean;
  /** Names of the columns that were left out. */
  readonly leftOut: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isFieldsList(value: unknown): value is readonly Fields[] {
  return Array.isArray(value) && value.length > 0 && value.every(isFields);
}

function line(cells: readonly Cell[], widths: readonly number[]): string {
  const shown = widths.map((width, index) => {
    const { text, width: used } = cutCell(cells[index] ?? { text: '', width: 0 }, width);
    return `${text}${' '.repeat(Math.max(width - used, 0))}`;
  });
  return `${shown.join('  ').trimEnd()}\n`;
}

function lines(
  rows: readonly (readonly Cell[])[],
  columns: number,
): { text: string; widths: readonly number[]; isCut: boolean } {
  const natural = (rows[0] ?? []).map((_, index) =>
    rows.reduce((max, row) => Math.max(max, row[index]?.width ?? 0), 1),
  );
  const widths = fitWidths(natural, columns);
  const isCut = natural.some((width, index) => width > (widths[index] ?? 0));
  return { text: rows.map((row) => line(row, widths)).join(''), widths, isCut };
}

/** Lists records below a line with the names of their members, in the order in which the service sends them. */
function fieldsListTable(list: readonly Fields[], columns: number): Table {
  const names = [...new Set(list.flatMap((fields) => Object.keys(fields)))];
  const heads = names.map(toCell);
  const rows = list.map((fields) => names.map((name) => toCell(Object.hasOwn(fields, name) ? fields[name] : '')));
  const { text, widths, isCut } = lines([heads, ...rows], columns);
  const end = text.indexOf('\n') + 1;
  const rule = `${widths.map((width) => '-'.repeat(width)).join('  ')}\n`;
  const leftOut = heads.slice(widths.length).map((head) => head.text);
  return { text: text.slice(0, end) + rule + text.slice(end), isCut, leftOut };
}

/** Returns a result as a table that is at most `columns` wide; long values are cut, nested ones are compact JSON. */
export function formatTable(result: unknown, columns: number): Table {
  if (isFieldsList(result)) return fieldsListTable(result, columns);
  const fields = isFields(result) && Object.keys(result).length > 0 ? Object.entries(result) : undefined;
  const values = Array.isArray(result) && result.length > 0 ? result : [result];
  const rows = fields ? fields.map((pair) => pair.map(toCell)) : values.map((value: unknown) => [toCell(value)]);
  return { ...lines(rows, columns), leftOut: [] };
}
