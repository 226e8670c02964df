import { Command, CommanderError } from 'commander';
import { serviceVersion } from '@trunkline/runtime';
import type { Act, AddCommand, Outcome, Terminal } from './command.ts';
import { backUp } from './commands/back-up.ts';
import { createAdmin } from './commands/create-admin.ts';
import { drain } from './commands/drain.ts';
import { importKallithea } from './commands/import-kallithea.ts';
import { migrateSchema } from './commands/migrate-schema.ts';
import { printCompletion } from './commands/print-completion.ts';
import { resetKey } from './commands/reset-key.ts';
import { restore } from './commands/restore.ts';
import { rotateSecret } from './commands/rotate-secret.ts';
import { runDoctor } from './commands/run-doctor.ts';
import { showStatus } from './commands/show-status.ts';
import { unlockAddresses } from './commands/unlock-addresses.ts';
import { verifyRepositories } from './commands/verify-repositories.ts';
import type { Environment } from './config.ts';
import { dataDirectoryEnvironment } from './data-directory.ts';
import { exitCodes, explainError, UsageError } from './errors.ts';
import { printable } from './printable.ts';

const commands: readonly AddCommand[] = [
  runDoctor,
  showStatus,
  drain,
  migrateSchema,
  createAdmin,
  resetKey,
  unlockAddresses,
  rotateSecret,
  importKallithea,
  verifyRepositories,
  backUp,
  restore,
  printCompletion,
];

export interface GlobalOptions {
  readonly json?: true;
  readonly dataDir?: string;
  readonly version?: true;
}

/** Creates the program; `choose` is told what the command does that the command line names. */
export function createProgram(choose: (act: Act) => void, writeOut: (text: string) => void = () => {}): Command {
  const program = new Command('trunklinectl')
    .description('Administers an instance of Trunkline beside its processes, with their settings.')
    .usage('[options] COMMAND')
    .option('--data-dir <DIR>', 'take the settings of the `npm start` that runs with this data directory')
    .option('--json', 'print one line of JSON')
    .option('--version', 'print the version')
    .helpOption('-h, --help', 'list the commands, or describe COMMAND')
    .helpCommand(false)
    .configureOutput({ writeOut, writeErr: () => {} })
    .exitOverride();
  for (const add of commands) add(program, choose);
  return program;
}

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
