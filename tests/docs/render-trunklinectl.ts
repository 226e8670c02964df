import {
  describeCommands,
  describeOptions,
  type DescribedOption,
} from '../../apps/trunklinectl/src/commands/print-completion.ts';
import { createProgram } from '../../apps/trunklinectl/src/run.ts';

const cell = (text: string) => text.replaceAll('|', '\\|');

const optionRows = (options: readonly DescribedOption[]) =>
  options.map(({ usage, summary }) => `| \`${cell(usage)}\` | ${cell(summary)} |`);

/** Renders the commands of the administrators' program, as its own help lists them. */
export function renderTrunklinectl(): string {
  const program = createProgram(() => {});
  const rows = describeCommands(program).flatMap(({ usage, summary, options }) => [
    `| \`${cell(usage)}\` | ${cell(summary)} |`,
    ...optionRows(options),
  ]);
  return [
    '| command and options | |',
    '|---|---|',
    ...rows,
    '',
    '| option before the command | |',
    '|---|---|',
    ...optionRows(describeOptions(program)),
  ].join('\n');
}
