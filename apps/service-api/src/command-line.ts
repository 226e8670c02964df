import { Command, CommanderError, Option } from 'commander';
import { UsageError } from './client-error.ts';
import { suggestion } from './check-names.ts';

const formats = ['pretty', 'json', 'table'] as const;
export type Format = (typeof formats)[number];

export interface Options {
  readonly apikey?: string;
  readonly apihost?: string;
  readonly config?: string;
  readonly profile?: string;
  readonly saveConfig?: true;
  readonly strict?: true;
  readonly failOnNull?: true;
  /** Absent unless it is given: tables on a terminal, `pretty` elsewhere. */
  readonly format?: Format;
  readonly help?: true;
  readonly version?: true;
}

export interface CommandLine {
  readonly options: Options;
  readonly method: string | undefined;
  readonly items: readonly string[];
}

function optionValue(flag: string) {
  return (value: string): string => {
    // An option without a value would take the next option as its value; the error omits the value, which may be a key.
    if (value === '' || value.startsWith('--')) throw new UsageError(`Option ${flag} needs a value`);
    return value;
  };
}

function createProgram(): Command {
  return (
    new Command('service-api')
      .usage('[options] METHOD [name:value ...]')
      .description('Calls one method of a Trunkline service and prints the response.')
      .argument('[METHOD]', 'name of the method')
      .argument(
        '[name:value...]',
        'arguments of the method, sent as strings; name=@FILE and name=- (stdin) read values',
      )
      .option('--apikey <KEY>', 'API key, @FILE or - for stdin (else TRUNKLINE_APIKEY)', optionValue('--apikey'))
      .option('--apihost <URL>', 'base URL of the service (else TRUNKLINE_APIHOST)', optionValue('--apihost'))
      .option('--config <FILE>', 'configuration file (default: ~/.config/trunkline)', optionValue('--config'))
      .option(
        '--profile <NAME>',
        'profile of the configuration file (else TRUNKLINE_PROFILE)',
        optionValue('--profile'),
      )
      .option('--save-config', 'store --apikey and --apihost in the configuration file, or in a profile of it')
      .option('--strict', 'refuse names of methods and arguments that this client does not know')
      .option('--fail-on-null', 'exit with 1 when the result is null, as that of get_repo for an unknown name')
      .addOption(
        new Option('--format <FORMAT>', 'output format; else table on a terminal, pretty elsewhere').choices(formats),
      )
      .option('-h, --help', 'list the methods, or describe METHOD')
      .option('--version', 'print the version')
      // The built-in help option would act before METHOD is known.
      .helpOption(false)
      .showSuggestionAfterError(false)
      .configureOutput({ writeErr: () => {} })
      .exitOverride()
  );
}

/** One option of the command line, as help and completion need it. */
export interface KnownOption {
  readonly flag: string;
  readonly summary: string;
  readonly takesValue: boolean;
  readonly values: readonly string[];
}

export function knownOptions(): readonly KnownOption[] {
  return createProgram().options.map(({ long, flags, description, required, argChoices }) => ({
    flag: long ?? flags,
    summary: description,
    takesValue: required,
    values: argChoices ?? [],
  }));
}

/** Returns the help text of usage and options, without the methods. */
export function optionsHelp(): string {
  return createProgram().helpInformation();
}

function usageErrorOf({ message }: CommanderError): UsageError {
  // The error of a misspelt `--apikey=...` must not show the value.
  const flag = /^error: unknown option '([^=]*?)(?:=.*)?'$/s.exec(message)?.[1];
  if (flag === undefined) return new UsageError(message.replace(/^error: /, ''));
  const flags = knownOptions().map((option) => option.flag);
  return new UsageError(`unknown option '${flag}'${suggestion(flag, flags)}`);
}

export function parseCommandLine(words: readonly string[]): CommandLine {
  const program = createProgram();
  try {
    program.parse(words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) throw usageErrorOf(error);
    throw error;
  }
  const [method, ...items] = program.args;
  return { options: program.opts<Options>(), method, items };
}
