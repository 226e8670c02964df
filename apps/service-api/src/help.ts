import {
  describePermission,
  findMethod,
  methods,
  requiredMark,
  resources,
  type Arg,
  type Method,
} from '@trunkline/contracts';
import { methodSuggestion } from './check-names.ts';
import { optionsHelp } from './command-line.ts';
import { UsageError } from './client-error.ts';

type Rows = readonly (readonly [string, string])[];

function columns(rows: Rows, width = Math.max(...rows.map(([first]) => first.length))): string {
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}\n`).join('');
}

function describeArg({ fallback, shownDefault, summary, aliases }: Arg<unknown>): string {
  const facts = [
    fallback === requiredMark ? 'required' : `default: ${shownDefault}`,
    ...aliases.map((alias) => `also sent as ${alias}`),
  ];
  return `${summary} (${facts.join('; ')})`;
}

function exampleLine({ name, args }: Method): string {
  const required = Object.entries(args).filter(([, arg]) => arg.fallback === requiredMark);
  return ['service-api', name, ...required.map(([argName]) => `${argName}:VALUE`)].join(' ');
}

/** Returns the help text with usage, options and every method, by what the methods are about. */
export function generalHelp(): string {
  const width = Math.max(...Object.keys(methods).map((name) => name.length));
  const groups = resources.map(({ title, methods: names }) => {
    return `${title}:\n${columns(
      names.map((name) => [name, methods[name].summary]),
      width,
    )}\n`;
  });
  const completion = 'Completion for bash, zsh or fish: service-api completion SHELL\n';
  return `${optionsHelp()}\n${groups.join('')}Help on one method: service-api METHOD --help\n${completion}`;
}

/** Returns the help text of a method: summary, permission, arguments; throws UsageError for an unknown method. */
export function methodHelp(name: string): string {
  const method: Method | undefined = findMethod(name);
  if (!method) {
    throw new UsageError(`No help for ${name}: this client does not know the method${methodSuggestion(name)}`);
  }
  const args = Object.entries(method.args).map(([argName, arg]) => [argName, describeArg(arg)] as const);
  return [
    `${method.name}: ${method.summary}\n`,
    ...(method.aliases.length > 0 ? [`Earlier names: ${method.aliases.join(', ')}\n`] : []),
    `Permission: ${describePermission(method.permission).replaceAll('`', '')}\n`,
    `\nArguments:\n${args.length > 0 ? columns(args) : '  none\n'}`,
    `\nExample:\n  ${exampleLine(method)}\n`,
  ].join('');
}
