import type { Format } from './command-line.ts';
import { formatJson, formatPretty } from './format-reply.ts';
import type { Reply } from './read-reply.ts';
import { formatTable } from './table/format-table.ts';
import { visibleText } from './table/visible-text.ts';
import type { Terminal } from './terminal.ts';

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
