import { readFile } from 'node:fs/promises';
import { callService } from './call-service.ts';
import { exitCodes, UsageError } from './client-error.ts';
import { unknownNames } from './check-names.ts';
import { parseCommandLine, type CommandLine } from './command-line.ts';
import type { Config } from './config.ts';
import { writeConfigFile } from './config-file.ts';
import { endpointOf } from './endpoint.ts';
import { findConnection } from './find-connection.ts';
import { formatJson, formatPretty } from './format-reply.ts';
import { generalHelp, methodHelp } from './help.ts';
import { parseItems } from './parse-items.ts';

export interface Terminal {
  out(text: string): void;
  err(text: string): void;
}

async function readVersion(): Promise<string> {
  const manifest: { version: string } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  return manifest.version;
}

async function saveConfig({ options }: CommandLine, config: Config, terminal: Terminal): Promise<void> {
  const { apikey, apihost } = options;
  if (!apikey || !apihost) throw new UsageError('--save-config requires --apikey and --apihost');
  endpointOf(apihost);
  const path = options.config ?? config.configPath;
  if (path === undefined) throw new UsageError('Could not find a home directory, please specify --config');
  const done = await writeConfigFile(path, { apikey, apihost });
  terminal.out(done === 'created' ? `Created new config in ${path}\n` : `Updated config in ${path}\n`);
}

async function call({ options, method, items }: CommandLine, config: Config, terminal: Terminal): Promise<number> {
  if (method === undefined) throw new UsageError('Please specify method name');
  const args = parseItems(items);
  const unknown = unknownNames(method, args);
  if (unknown && options.strict) throw new UsageError(unknown.text);
  const { apihost, apikey } = await findConnection(options, config);
  const endpoint = endpointOf(apihost);
  const pretty = options.format === 'pretty';
  if (pretty) terminal.out(`Calling method ${method} => ${apihost}\n`);
  // The service decides: it may be newer than this client.
  if (unknown?.isLikelyMistake) terminal.err(`Warning: ${unknown.text}\n`);
  const reply = await callService(endpoint, { apikey, method, args });
  terminal.out(pretty ? `Server response \n${formatPretty(reply)}\n` : `${formatJson(reply)}\n`);
  return reply.error === null ? exitCodes.success : exitCodes.serviceError;
}

async function execute(words: readonly string[], config: Config, terminal: Terminal): Promise<number> {
  const commandLine = parseCommandLine(words);
  const { options, method } = commandLine;
  if (options.help) terminal.out(method === undefined ? generalHelp() : methodHelp(method));
  else if (options.version) terminal.out(`${await readVersion()}\n`);
  else if (options.saveConfig) await saveConfig(commandLine, config, terminal);
  else return call(commandLine, config, terminal);
  return exitCodes.success;
}

/** Runs one command line and returns the exit code; prints any error as one line, never as a stack. */
export async function run(words: readonly string[], config: Config, terminal: Terminal): Promise<number> {
  try {
    return await execute(words, config, terminal);
  } catch (error) {
    terminal.err(`${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof UsageError ? exitCodes.usage : exitCodes.network;
  }
}
