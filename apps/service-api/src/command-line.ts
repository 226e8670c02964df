import { Command, CommanderError, Option } from 'commander';
import { UsageError } from './client-error.ts';

interface Options {
  readonly apikey?: string;
  readonly apihost?: string;
  readonly config?: string;
  readonly saveConfig?: true;
  readonly strict?: true;
  readonly format: 'pretty' | 'json';
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
      .argument('[name:value...]', 'arguments of the method; values are sent as strings')
      .option('--apikey <KEY>', 'API key (else TRUNKLINE_APIKEY)', optionValue('--apikey'))
      .option('--apihost <URL>', 'base URL of the service (else TRUNKLINE_APIHOST)', optionValue('--apihost'))
      .option('--config <FILE>', 'configuration file (default: ~/.config/trunkline)', optionValue('--config'))
      .option('--save-config', 'store --apikey and --apihost in the configuration file')
      .option('--strict', 'refuse names of methods and arguments that this client does not know')
      .addOption(new Option('--format <FORMAT>', 'output format').choices(['pretty', 'json']).default('pretty'))
      .option('-h, --help', 'list the methods, or describe METHOD')
      .option('--version', 'print the version')
      // The built-in help option would act before METHOD is known.
      .helpOption(false)
      .showSuggestionAfterError(false)
      .configureOutput({ writeErr: () => {} })
      .exitOverride()
  );
}

/** Returns the help text of usage and options, without the methods. */
export function optionsHelp(): string {
  return createProgram().helpInformation();
}

export function parseCommandLine(words: readonly string[]): CommandLine {
  const program = createProgram();
  try {
    program.parse(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // The error of a misspelt `--apikey=...` must not show the value.
    throw new UsageError(error.message.replace(/^error: /, '').replace(/^(unknown option '[^=]*)=.*'$/s, "$1'"));
  }
  const [method, ...items] = program.args;
  return { options: program.opts<Options>(), method, items };
}
