import { readFile } from 'node:fs/promises';
import { exitCodes, UsageError } from './client-error.ts';
import { type CommandLine, type Options, parseCommandLine } from './command-line.ts';
import type { Config } from './config.ts';
import { readProfileNames, writeConfigFile, writeProfile } from './config-file.ts';
import { endpointOf } from './find-connection.ts';
import { createSources, readKey } from './sources.ts';
import type { Terminal } from './terminal.ts';
import { bashCompletion } from './completion/bash.ts';
import { completionModel, type CompletionModel, type Shell, shells } from './completion/completion-model.ts';
import { fishCompletion } from './completion/fish.ts';
import { zshCompletion } from './completion/zsh.ts';
import { call } from './call.ts';
import { generalHelp, methodHelp } from './help.ts';

const profileName = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** Stores host and key of the command line in the configuration file, in a profile when one is named. */
async function saveConfig(options: Options, config: Config, terminal: Terminal): Promise<void> {
  if (!options.apikey || !options.apihost) throw new UsageError('--save-config requires --apikey and --apihost');
  endpointOf(options.apihost);
  const profile = options.profile ?? config.profile;
  if (profile !== undefined && !profileName.test(profile)) {
    throw new UsageError(
      'Invalid profile: expected at most 64 letters, digits, `-`, `_` and `.`, a letter or digit first',
    );
  }
  const path = options.config ?? config.configPath;
  if (path === undefined) throw new UsageError('Could not find a home directory, please specify --config');
  const { apikey = '', apihost } = await readKey(
    { ...options, apihost: options.apihost },
    createSources(terminal.input),
  );
  if (profile === undefined) {
    const done = await writeConfigFile(path, { apikey, apihost });
    terminal.out(done === 'created' ? `Created new config in ${path}\n` : `Updated config in ${path}\n`);
  } else {
    const done = await writeProfile(path, profile, { apikey, apihost });
    terminal.out(`${done === 'created' ? 'Created' : 'Updated'} profile ${profile} in ${path}\n`);
  }
}

const scripts: Readonly<Record<Shell, (model: CompletionModel) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** Returns whether a command line asks for completion, and not for a method of that name, whose words have colons. */
function isCompletion({ method, items }: CommandLine): boolean {
  return method === 'completion' && items.every((item) => !item.includes(':'));
}

/** Returns the script of a shell, or, for `profiles`, the names of the profiles for which these scripts ask. */
async function completionText({ options, items }: CommandLine, config: Config): Promise<string> {
  const [wanted, ...more] = items;
  const shell = shells.find((one) => one === wanted);
  if (shell !== undefined && more.length === 0) return scripts[shell](completionModel());
  if (wanted !== 'profiles' || more.length > 0) {
    throw new UsageError(`completion needs the name of a shell: ${shells.join(', ')}`);
  }
  const path = options.config ?? config.configPath;
  const names = path === undefined ? [] : await readProfileNames(path);
  return names.map((name) => `${name}\n`).join('');
}

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
