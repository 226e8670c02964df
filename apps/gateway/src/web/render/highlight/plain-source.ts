import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { splitLines } from '../text/split-lines.ts';
import { numberLines, shownLinesMax } from './number-lines.ts';
import { plainLine } from './plain-lines.ts';

/** Lines that take about a millisecond. */
const sliceLines = 500;

/** Returns the numbered lines of a text without any colours; other work of the event loop is done between them. */
export async function plainSource(text: string): Promise<string> {
  const lines = splitLines(text).slice(0, shownLinesMax);
  let html = '';
  for (let before = 0; before < lines.length; before += sliceLines) {
    if (before > 0) await nextTurnOfLoop();
    html += numberLines(lines.slice(before, before + sliceLines).map(plainLine), before);
  }
  return html;
}
