import { argValues, type Method, methods } from '@trunkline/contracts';
import { type KnownOption, knownOptions } from '../command-line.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

interface CompletedArg {
  readonly name: string;
  readonly summary: string;
  readonly values: readonly string[];
}

interface CompletedMethod {
  readonly name: string;
  /** The method's name, and its earlier names, whose arguments are completed, too. */
  readonly anyName: readonly string[];
  readonly summary: string;
  readonly args: readonly CompletedArg[];
}

/** Values of an option, or of an argument as `method:argument`, under all of its names. */
interface ClosedValues {
  readonly anyName: readonly string[];
  readonly values: readonly string[];
}

/** All that the completion of a shell offers. */
export interface CompletionModel {
  readonly options: readonly KnownOption[];
  readonly methods: readonly CompletedMethod[];
  /** Options that take the next word as their value. */
  readonly takingValue: readonly string[];
  readonly optionValues: readonly ClosedValues[];
  readonly argValues: readonly ClosedValues[];
}

/** Returns the first sentence of a summary, without the marks of code. */
function brief(summary: string): string {
  const [first = ''] = summary.replaceAll('`', '').split(/(?<=[.;]) /);
  return first.replace(/[.;]$/, '');
}

function toMethod({ name, aliases, summary, args }: Method): CompletedMethod {
  const completed = Object.entries(args).map(([argName, arg]) => {
    return { name: argName, summary: brief(arg.summary), values: argValues(arg) };
  });
  return { name, anyName: [name, ...aliases], summary: brief(summary), args: completed };
}

function closedArgs({ anyName, args }: CompletedMethod): readonly ClosedValues[] {
  const closed = args.filter(({ values }) => values.length > 0);
  return closed.map(({ name, values }) => ({ anyName: anyName.map((one) => `${one}:${name}`), values }));
}

export function completionModel(): CompletionModel {
  const options = knownOptions();
  const all = Object.values<Method>(methods).map(toMethod);
  return {
    options,
    methods: all,
    takingValue: options.filter(({ takesValue }) => takesValue).map(({ flag }) => flag),
    optionValues: options
      .filter(({ values }) => values.length > 0)
      .map(({ flag, values }) => ({ anyName: [flag], values })),
    argValues: all.flatMap(closedArgs),
  };
}

/** Returns a word between single quotes, as bash and zsh read it. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
