import stringWidth from 'string-width';
import { visibleText } from './visible-text.ts';

/** A value of a table, as it is shown when there is enough space. */
export interface Cell {
  readonly text: string;
  /** Columns of the terminal that the text takes: two for each wide character. */
  readonly width: number;
}

const ellipsis = '…';
/** More than a terminal shows, so that the width of long values is not measured. */
const charsMax = 2_000;
const segmenter = new Intl.Segmenter();

/** Returns the cell of a value: a text as it is, any other value as compact JSON. */
export function toCell(value: unknown): Cell {
  const whole = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const text = visibleText(whole.length > charsMax ? `${whole.slice(0, charsMax)}${ellipsis}` : whole);
  return { text, width: stringWidth(text) };
}

/** Returns a cell that takes at most `widthMax` columns of the terminal, with an ellipsis where it was cut. */
export function cutCell(cell: Cell, widthMax: number): Cell {
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
