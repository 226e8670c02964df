import stringWidth from 'string-width';

const named = new Map([
  ['\n', String.raw`\n`],
  ['\r', String.raw`\r`],
  ['\t', String.raw`\t`],
]);

// Control and format characters, line separators and lone surrogates: terminals act on them, or show nothing.
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => String.raw`\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** Returns a text as one line on which each character shows; those that a terminal would act on as JSON escapes them. */
export function visibleText(text: string): string {
  return text.replace(unsafe, (character) => named.get(character) ?? escaped(character));
}

/** A value of a table, as it is shown when there is enough space. */
interface Cell {
  readonly text: string;
  /** Columns of the terminal that the text takes: two for each wide character. */
  readonly width: number;
}

const ellipsis = '…';
/** More than a terminal shows, so that the width of long values is not measured. */
const charsMax = 2_000;
const segmenter = new Intl.Segmenter();

/** Returns the cell of a value: a text as it is, any other value as compact JSON. */
function toCell(value: unknown): Cell {
  const whole = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const text = visibleText(whole.length > charsMax ? `${whole.slice(0, charsMax)}${ellipsis}` : whole);
  return { text, width: stringWidth(text) };
}

/** Returns a cell that takes at most `widthMax` columns of the terminal, with an ellipsis where it was cut. */
function cutCell(cell: Cell, widthMax: number): Cell {
  if (cell.width <= widthMax) return cell;
  let text = '';
  let width = 1;
  for (const { segment } of segmenter.segment(cell.text)) {
    const more = stringWidth(segment);
    if (width + more > widthMax) break;
    text += segment;
    width += more;
  }
  return { text: `${text}${ellipsis}`, width };
}

const gap = 2;
/** Narrowest that a column becomes before columns at the end are left out. */
const widthMin = 8;

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, gap * (widths.length - 1));
}

const capped = (widths: readonly number[], cap: number) => widths.map((width) => Math.min(width, cap));

/**
 * Returns the widths of as many columns, from the first on, as fit on a line: as wide as they are while that fits, else
 * the widest are made narrower. The first column is always there.
 */
export function fitWidths(natural: readonly number[], available: number): readonly number[] {
  let count = natural.length;
  while (count > 1 && total(capped(natural.slice(0, count), widthMin)) > available) count -= 1;
  const widths = natural.slice(0, count);
  let cap = Math.min(Math.max(...widths), Math.max(available, 1));
  while (cap > 1 && total(capped(widths, cap)) > available) cap -= 1;
  return capped(widths, cap);
}

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
