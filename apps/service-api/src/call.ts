import { callService, type Reply } from './call-service.ts';
import { exitCodes, UsageError } from './client-error.ts';
import { unknownNames } from './check-names.ts';
import type { CommandLine, Format, Options } from './command-line.ts';
import type { Config } from './config.ts';
import { endpointOf, findConnection, shownHost } from './find-connection.ts';
import { createSources, parseItems, readItems, readKey } from './sources.ts';
import { printReply } from './print-reply.ts';
import type { Terminal } from './terminal.ts';

function formatFor({ format }: Options, { columns }: Terminal): Format {
  return format ?? (columns === undefined ? 'pretty' : 'table');
}

function exitCodeOf({ error, result }: Reply, { failOnNull }: Options, terminal: Terminal): number {
  if (error !== null) return exitCodes.serviceError;
  if (!failOnNull || result !== null) return exitCodes.success;
  terminal.err('The result is null\n');
  return exitCodes.serviceError;
}

/** Sends the call of a command line and prints the reply; returns the exit code. */
export async function call(
  { options, method, items }: CommandLine,
  config: Config,
  terminal: Terminal,
): Promise<number> {
  if (method === undefined) throw new UsageError('Please specify method name');
  const parsed = parseItems(items);
  const names = parsed.map(({ name }) => name);
  const unknown = unknownNames(method, names);
  if (unknown && options.strict) throw new UsageError(unknown.text);
  const sources = createSources(terminal.input);
  const { apihost, apikey } = await findConnection(await readKey(options, sources), config);
  const endpoint = endpointOf(apihost);
  const args = await readItems(parsed, sources);
  const format = formatFor(options, terminal);
  if (format === 'pretty') terminal.out(`Calling method ${method} => ${shownHost(apihost)}\n`);
  // The service decides: it may be newer than this client.
  if (unknown?.isLikelyMistake) terminal.err(`Warning: ${unknown.text}\n`);
  const reply = await callService(endpoint, { apikey, method, args });
  printReply(reply, format, terminal);
  return exitCodeOf(reply, options, terminal);
}
