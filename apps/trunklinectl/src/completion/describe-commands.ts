import type { Argument, Command, Option } from 'commander';

export interface DescribedOption {
  /** As on the command line, `--email`. */
  readonly flag: string;
  /** With its value, `--email <ADDRESS>`. */
  readonly usage: string;
  readonly summary: string;
  readonly takesValue: boolean;
}

export interface DescribedCommand {
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
