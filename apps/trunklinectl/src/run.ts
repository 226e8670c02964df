import { serviceVersion } from '@trunkline/runtime';
import { CommanderError } from 'commander';
import type { Act, Outcome } from './command.ts';
import type { Environment } from './config.ts';
import { dataDirectoryEnvironment } from './data-directory.ts';
import { exitCodes, UsageError } from './errors.ts';
import { explainError } from './explain-error.ts';
import { printable } from './printable.ts';
import { createProgram, type GlobalOptions } from './program.ts';
import type { Terminal } from './terminal.ts';

interface Parsed {
  readonly act: Act | null;
  readonly options: GlobalOptions;
}

function parse(words: readonly string[], terminal: Terminal): Parsed {
  let act: Act | null = null;
  const program = createProgram((chosen) => (act = chosen), terminal.out);
  try {
    program.parse(words, { from: 'user' });
  } catch (error) {
    // Without a command there is nothing to do but what an option says.
    if (!(error instanceof CommanderError && error.code === 'commander.help')) throw error;
  }
  return { act, options: program.opts() };
}

function print({ text, record, isAside }: Outcome, { json }: GlobalOptions, terminal: Terminal): void {
  const put = isAside ? terminal.err : terminal.out;
  put(json ? `${JSON.stringify(record)}\n` : `${printable(text.trimEnd())}\n`);
}

async function execute({ act, options }: Parsed, environment: Environment, terminal: Terminal): Promise<number> {
  if (options.version) {
    terminal.out(`${await serviceVersion()}\n`);
    return exitCodes.success;
  }
  if (!act) throw new UsageError('name a command: `trunklinectl --help` lists them');
  const { dataDir } = options;
  const own = dataDir === undefined ? environment : await dataDirectoryEnvironment(dataDir, environment);
  const outcome = await act({ environment: own, terminal });
  print(outcome, options, terminal);
  return outcome.isFailure ? exitCodes.failed : exitCodes.success;
}

/** Runs one command line and returns the exit code; prints any error as one line, never as a stack. */
export async function run(words: readonly string[], environment: Environment, terminal: Terminal): Promise<number> {
  try {
    return await execute(parse(words, terminal), environment, terminal);
  } catch (error) {
    // Commander has printed the help that was asked for.
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.success;
    const { text, exitCode } = explainError(error);
    terminal.err(`${printable(text)}\n`);
    return exitCode;
  }
}
