import { Argument, type Command, type Option } from 'commander';
import type { AddCommand } from '../command.ts';

export interface DescribedOption {
  /** As on the command line, `--email`. */
  readonly flag: string;
  /** With its value, `--email <ADDRESS>`. */
  readonly usage: string;
  readonly summary: string;
  readonly takesValue: boolean;
}

interface DescribedCommand {
  readonly name: string;
  /** With its arguments, `create-admin USERNAME`. */
  readonly usage: string;
  readonly summary: string;
  readonly args: readonly { readonly name: string; readonly summary: string; readonly values: readonly string[] }[];
  readonly options: readonly DescribedOption[];
}

function describeOption({ long, flags, description, required }: Option): DescribedOption {
  return { flag: long ?? flags, usage: flags, summary: description, takesValue: required };
}

function describeArgument(argument: Argument) {
  return { name: argument.name(), summary: argument.description, values: argument.argChoices ?? [] };
}

/** Returns the options of a program or a command, as help and completion show them. */
export function describeOptions(command: Command): readonly DescribedOption[] {
  return command.options.map(describeOption);
}

/** Returns the commands of the program. */
export function describeCommands(program: Command): readonly DescribedCommand[] {
  return program.commands.map((command) => ({
    name: command.name(),
    usage: [command.name(), ...command.registeredArguments.map((argument) => argument.name())].join(' '),
    summary: command.description(),
    args: command.registeredArguments.map(describeArgument),
    options: describeOptions(command),
  }));
}

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Arguments that are paths; bash completes these where no word of ours fits. */
const pathNames = new Set(['DIRECTORY', 'DATABASE', 'REPOSITORIES']);

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function wordsOf({ options, args }: DescribedCommand): string {
  return [...options.map(({ flag }) => flag), ...args.flatMap(({ values }) => values)].join(' ');
}

function bashScript(program: Command): string {
  const options = describeOptions(program);
  const commands = describeCommands(program);
  const first = [...commands.map(({ name }) => name), ...options.map(({ flag }) => flag)].join(' ');
  const takingValue = options.filter(({ takesValue }) => takesValue).map(({ flag }) => flag);
  return `_trunklinectl() {
  local current=\${COMP_WORDS[COMP_CWORD]} command='' word='' skips=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ -n $skips ]]; then skips=''; continue; fi
    case $word in
      ${takingValue.join('|')}) skips=yes ;;
      -*) ;;
      *) command=$word; break ;;
    esac
  done
  if [[ -n $skips ]]; then COMPREPLY=($(compgen -d -- "$current")); return; fi
  case $command in
    '') COMPREPLY=($(compgen -W ${quote(first)} -- "$current")) ;;
${commands.map((one) => `    ${one.name}) COMPREPLY=($(compgen -W ${quote(wordsOf(one))} -- "$current")) ;;\n`).join('')}  esac
}
complete -o default -F _trunklinectl trunklinectl
`;
}

function fishOptions(condition: string, options: ReturnType<typeof describeOptions>): string[] {
  return options.map(({ flag, summary, takesValue }) => {
    const value = takesValue ? ' -r' : '';
    return `complete -c trunklinectl -n ${condition} -l ${flag.replace(/^--/, '')}${value} -d ${quote(summary)}`;
  });
}

function fishScript(program: Command): string {
  const lines = describeCommands(program).flatMap(({ name, summary, args, options }) => {
    const seen = quote(`__fish_seen_subcommand_from ${name}`);
    const values = args.flatMap((argument) => argument.values).join(' ');
    const hasPaths = args.some((argument) => pathNames.has(argument.name));
    return [
      `complete -c trunklinectl -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
      ...(hasPaths ? [`complete -c trunklinectl -n ${seen} -F`] : []),
      ...(values === '' ? [] : [`complete -c trunklinectl -n ${seen} -a ${quote(values)}`]),
      ...fishOptions(seen, options),
    ];
  });
  const all = [
    'complete -c trunklinectl -f',
    ...fishOptions('__fish_use_subcommand', describeOptions(program)),
    ...lines,
  ];
  return `${all.join('\n')}\n`;
}

const scripts: Readonly<Record<Shell, (program: Command) => string>> = {
  bash: bashScript,
  // zsh runs the completion of bash.
  zsh: (program) => `autoload -Uz bashcompinit && bashcompinit\n${bashScript(program)}`,
  fish: fishScript,
};

/** Returns the script by which a shell completes command lines of the program. */
function completionScript(shell: Shell, program: Command): string {
  return scripts[shell](program);
}

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
