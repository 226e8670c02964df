import { Argument } from 'commander';
import type { AddCommand } from '../command.ts';
import { completionScript, shells, type Shell } from '../completion/completion-script.ts';

export const printCompletion: AddCommand = (program, choose) => {
  program
    .command('completion')
    .description('print a script that completes command lines: `source <(trunklinectl completion bash)`')
    .addArgument(new Argument('<SHELL>', 'the shell').choices(shells))
    .action((shell: Shell) =>
      choose(async () => {
        const script = completionScript(shell, program);
        return { text: script, record: { script } };
      }),
    );
};
