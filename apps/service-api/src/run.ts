import { readFile } from 'node:fs/promises';
import { call } from './call.ts';
import { exitCodes, UsageError } from './client-error.ts';
import { parseCommandLine } from './command-line.ts';
import { completionText, isCompletion } from './completion/completion-text.ts';
import type { Config } from './config.ts';
import { generalHelp, methodHelp } from './help.ts';
import { saveConfig } from './save-config.ts';
import type { Terminal } from './terminal.ts';

async function readVersion(): Promise<string> {
  const manifest: { version: string } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  return manifest.version;
}

async function execute(words: readonly string[], config: Config, terminal: Terminal): Promise<number> {
  const commandLine = parseCommandLine(words);
  const { options, method } = commandLine;
  if (options.help) terminal.out(method === undefined ? generalHelp() : methodHelp(method));
  else if (options.version) terminal.out(`${await readVersion()}\n`);
  else if (options.saveConfig) await saveConfig(options, config, terminal);
  else if (isCompletion(commandLine)) terminal.out(await completionText(commandLine, config));
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
