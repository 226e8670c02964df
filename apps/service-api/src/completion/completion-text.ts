import { UsageError } from '../client-error.ts';
import type { CommandLine } from '../command-line.ts';
import type { Config } from '../config.ts';
import { readProfileNames } from '../config-file.ts';
import { bashCompletion } from './bash.ts';
import { completionModel, shells, type CompletionModel, type Shell } from './completion-model.ts';
import { fishCompletion } from './fish.ts';
import { zshCompletion } from './zsh.ts';

const scripts: Readonly<Record<Shell, (model: CompletionModel) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** Returns whether a command line asks for completion, and not for a method of that name, whose words have colons. */
export function isCompletion({ method, items }: CommandLine): boolean {
  return method === 'completion' && items.every((item) => !item.includes(':'));
}

/** Returns the script of a shell, or, for `profiles`, the names of the profiles for which these scripts ask. */
export async function completionText({ options, items }: CommandLine, config: Config): Promise<string> {
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
