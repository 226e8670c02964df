import { escapeHtml } from './plain-text.ts';
import { htmlMax } from './render-task.ts';
import { cutText, shownText } from './shown-text.ts';

const rowsMax = 1_000;
const columnsMax = 100;
const cellCharsMax = 500;

/** Returns what separates the fields of a file: what its first line has most of. */
function separatorOf(text: string): string {
  const [line = ''] = text.split('\n', 1);
  const [best] = [',', ';', '\t']
    .map((separator) => ({ separator, count: line.split(separator).length }))
    .toSorted((one, other) => other.count - one.count);
  return best?.separator ?? ',';
}

/** Returns where a quoted field that begins before `at` ends: a doubled quotation mark stands for one. */
function endOfQuoted(text: string, at: number): number {
  for (let end = text.indexOf('"', at); end >= 0; end = text.indexOf('"', end + 2)) {
    if (text[end + 1] !== '"') return end;
  }
  return text.length;
}

interface Rows {
  readonly rows: readonly (readonly string[])[];
  /** Whether the file has more rows. */
  readonly hasMore: boolean;
}

/** Parses the first rows of a file as RFC 4180 describes it. Rows may differ in their length. */
export function parseRows(text: string, separator = separatorOf(text)): Rows {
  const plain = separator === '\t' ? /[^\t\n]*/y : new RegExp(`[^${separator}\n]*`, 'y');
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length && rows.length < rowsMax) {
    let field = '';
    if (text[at] === '"') {
      const end = endOfQuoted(text, at + 1);
      field = text.slice(at + 1, end).replaceAll('""', '"');
      at = Math.min(end + 1, text.length);
    }
    plain.lastIndex = at;
    field += plain.exec(text)?.[0] ?? '';
    at = plain.lastIndex;
    row.push(field);
    if (text[at] === separator && at + 1 < text.length) at += 1;
    else {
      at += 1;
      rows.push(row);
      row = [];
    }
  }
  return { rows, hasMore: at < text.length };
}

function cells(row: readonly string[], columns: number, tag: 'td' | 'th'): string {
  return Array.from({ length: columns }, (_, index) => {
    const text = escapeHtml(shownText(cutText(row[index] ?? '', cellCharsMax)));
    return tag === 'th' ? `<th scope="col">${text}</th>` : `<td>${text}</td>`;
  }).join('');
}

/** Renders a file of separated values as a table, whose first row is its head; null for one that has no table. */
export function renderTable(source: string): string | null {
  const { rows, hasMore } = parseRows(source.replaceAll('\r\n', '\n'));
  const [head, ...others] = rows;
  if (!head) return null;
  const widest = Math.max(...rows.map(({ length }) => length));
  const columns = Math.min(widest, columnsMax);
  let body = '';
  for (const [index, row] of others.entries()) {
    body += `<tr><th scope="row">${index + 2}</th>${cells(row, columns, 'td')}</tr>\n`;
    if (body.length > htmlMax) return null;
  }
  const cuts = [
    ...(hasMore ? [`Only the first ${rowsMax} rows are shown.`] : []),
    ...(widest > columns ? [`Only the first ${columns} of ${widest} columns are shown.`] : []),
  ].map((cut) => `<p class="body soft">${cut}</p>`);
  return (
    `${cuts.join('')}<div class="scroll" tabindex="0" role="region" aria-label="Rows"><table class="values">` +
    `<thead><tr><th scope="row">1</th>${cells(head, columns, 'th')}</tr></thead>` +
    `<tbody>${body}</tbody></table></div>`
  );
}
