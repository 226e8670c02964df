import { highlightLines, languageNamed } from './highlight-lines.ts';
import { escapeHtml } from './plain-text.ts';
import { renderMarkdown } from './render-markdown.ts';
import { htmlMax, type DocumentBase } from './render-task.ts';
import { safeHtml } from './safe-html.ts';
import { cutText, shownLines, shownText } from './shown-text.ts';

const cellsMax = 1_000;
const outputsMax = 100;
const outputCharsMax = 20_000;

type Json = Readonly<Record<string, unknown>>;

function toJson(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A text of a notebook is a string, or a list of its lines. */
function textOf(value: unknown): string {
  const parts = listOf(value).filter((part) => typeof part === 'string');
  return typeof value === 'string' ? value : parts.join('');
}

// oxlint-disable-next-line no-control-regex -- Sequences for terminals begin with a control character.
const terminalSequence = /\u001b\[[0-?]{0,40}[ -/]{0,5}[@-~]/g;

/** Returns a text as a terminal leaves it: without colours, and without what was written over on a line. */
function asOnTerminal(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').replaceAll(terminalSequence, '').split('\n');
  const ends = lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  return ends.map((line) => line.slice(line.lastIndexOf('\r') + 1)).join('\n');
}

function plainOutput(text: string, kind = ''): string {
  const shown = shownLines(cutText(asOnTerminal(text), outputCharsMax));
  return `<pre class="output${kind}">${escapeHtml(shown)}</pre>`;
}

const note = (text: string) => `<p class="soft">${escapeHtml(text)}</p>`;

const imageTypes: ReadonlyMap<string, string> = new Map([
  ['image/png', 'PNG'],
  ['image/jpeg', 'JPEG'],
  ['image/gif', 'GIF'],
  ['image/svg+xml', 'SVG'],
]);

const asDocument = (html: string | null) =>
  html === null ? note('Output that is too large to be shown.') : `<div class="markdown">${html}</div>`;

/** Renders the richest form of an output that is safe to show; images are no files of the repository to load. */
function renderData(data: Json, base: DocumentBase): string {
  const image = Object.keys(data).find((type) => imageTypes.has(type));
  if (image !== undefined) {
    const { length } = textOf(data[image]);
    const bytes = image === 'image/svg+xml' ? length : Math.floor((length * 3) / 4);
    return note(`Image output: ${imageTypes.get(image)}, ${Math.ceil(bytes / 1_000)} kB. Download the file to see it.`);
  }
  if ('text/markdown' in data) return asDocument(renderMarkdown(textOf(data['text/markdown']), base));
  const html = safeHtml(textOf(data['text/html']).slice(0, htmlMax), base);
  if (html !== '') return asDocument(html);
  for (const type of ['text/plain', 'text/latex']) if (type in data) return plainOutput(textOf(data[type]));
  const [type = 'of no type'] = Object.keys(data);
  return note(`Output that cannot be shown: ${shownText(cutText(type, 100))}`);
}

function renderOutput(value: unknown, base: DocumentBase): string {
  const output = toJson(value);
  const { output_type: type } = output;
  if (type === 'stream') return plainOutput(textOf(output['text']));
  if (type === 'error' || type === 'pyerr') {
    const lines = listOf(output['traceback']).map(textOf).join('\n');
    return plainOutput(lines || `${textOf(output['ename'])}: ${textOf(output['evalue'])}`, ' error');
  }
  const { data } = output;
  // Before format 4, the members of `data` stood in the output itself, `text/plain` as `text`.
  return renderData(data === undefined ? { 'text/plain': output['text'] } : toJson(data), base);
}

function renderCode(cell: Json, language: string | undefined, base: DocumentBase): string {
  const count = cell['execution_count'] ?? cell['prompt_number'];
  const prompt = typeof count === 'number' ? `In [${count}]` : 'In [ ]';
  const code = highlightLines(textOf(cell['source'] ?? cell['input']), language).join('\n');
  const outputs = listOf(cell['outputs']);
  const shown = outputs.slice(0, outputsMax).map((output) => renderOutput(output, base));
  const cut = outputs.length > outputsMax ? note(`Only the first ${outputsMax} outputs are shown.`) : '';
  return `<p class="prompt">${prompt}</p><pre class="code">${code}</pre>${shown.join('')}${cut}`;
}

function renderCell(value: unknown, language: string | undefined, base: DocumentBase): string {
  const cell = toJson(value);
  const { cell_type: type } = cell;
  if (type === 'code') return renderCode(cell, language, base);
  const text = textOf(cell['source']);
  if (type === 'markdown') return asDocument(renderMarkdown(text, base));
  return plainOutput(text);
}

function parseNotebook(text: string): Json | null {
  try {
    return toJson(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Renders a notebook of Jupyter as safe HTML, a cell each; null for a text that is none. */
export function renderNotebook(text: string, base: DocumentBase): string | null {
  const notebook = parseNotebook(text);
  const [worksheet] = listOf(notebook?.['worksheets']);
  const found = notebook?.['cells'] ?? toJson(worksheet)['cells'];
  if (!Array.isArray(found)) return null;
  const cells: readonly unknown[] = found;
  const metadata = toJson(notebook?.['metadata']);
  const named = textOf(toJson(metadata['language_info'])['name']) || textOf(toJson(metadata['kernelspec'])['language']);
  const language = languageNamed(named.toLowerCase() || 'python');
  const shown = cells.slice(0, cellsMax).map((cell) => `<div class="cell">${renderCell(cell, language, base)}</div>`);
  if (cells.length > cellsMax) shown.push(note(`Only the first ${cellsMax} of ${cells.length} cells are shown.`));
  const html = shown.join('\n');
  return html.length > htmlMax ? null : html;
}
