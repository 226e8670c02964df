import { Command } from 'commander';
import type { Act, AddCommand } from './command.ts';
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
