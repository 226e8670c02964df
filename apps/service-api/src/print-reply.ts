import type { Reply } from './call-service.ts';
import type { Format } from './command-line.ts';
import { formatTable, visibleText } from './table.ts';
import type { Terminal } from './terminal.ts';

// Characters that JSON does not escape and terminals act on: DEL, C1 controls, line separators, direction marks.
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

function escapeUnsafe(json: string): string {
  return json.replace(unsafe, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Formats a reply for people: a result indented, with its members sorted by name; an error after `ERROR:`. */
export function formatPretty({ result, error }: Reply): string {
  if (error !== null) return `ERROR:${escapeUnsafe(JSON.stringify(error))}`;
  return escapeUnsafe(JSON.stringify(result, sortKeys, 4));
}

/** Formats the result, or the error's text, as one line of JSON. */
export function formatJson({ result, error }: Reply): string {
  return escapeUnsafe(JSON.stringify(error ?? result));
}

/** Width of tables that are not printed to a terminal. */
const columnsElsewhere = 120;

function printTable(result: unknown, terminal: Terminal): void {
  const { text, isCut, leftOut } = formatTable(result, terminal.columns ?? columnsElsewhere);
  terminal.out(text);
  if (leftOut.length > 0) terminal.err(`Not shown: ${leftOut.join(', ')}. --format=pretty shows all.\n`);
  else if (isCut) terminal.err('Some values are cut. --format=pretty shows all.\n');
}

/**
 * Prints a reply. What goes to stdout in the formats `pretty` and `json` is what older clients print, errors included;
 * with `json`, whose error is a string like any other, and with `table` an error is a line on stderr as well.
 */
export function printReply(reply: Reply, format: Format, terminal: Terminal): void {
  if (format === 'pretty') return terminal.out(`Server response \n${formatPretty(reply)}\n`);
  if (format === 'json') terminal.out(`${formatJson(reply)}\n`);
  else if (reply.error === null) printTable(reply.result, terminal);
  if (reply.error !== null) terminal.err(`Error: ${visibleText(reply.error)}\n`);
}
