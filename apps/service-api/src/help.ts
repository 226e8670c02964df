import { findMethod, methods, requiredMark, type Arg, type Method } from '@trunkline/contracts';
import { suggestion } from './check-names.ts';
import { optionsHelp } from './command-line.ts';
import { UsageError } from './client-error.ts';

type Rows = readonly (readonly [string, string])[];

function columns(rows: Rows): string {
  const width = Math.max(...rows.map(([first]) => first.length));
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}\n`).join('');
}

function describeArg({ fallback, shownDefault, summary }: Arg<unknown>): string {
  return `${summary} (${fallback === requiredMark ? 'required' : `default: ${shownDefault}`})`;
}

function describePermission({ permission: { caller, repository } }: Method): string {
  if (caller === 'admin') return 'administrators only';
  const rights = [
    ...(caller === 'any' ? [] : [`users with ${caller.join(' or ')}`]),
    ...(repository === undefined ? [] : [`${repository} right on the repository`]),
  ];
  return rights.length === 0 ? 'any user' : rights.join(' and ');
}

function exampleLine({ name, args }: Method): string {
  const required = Object.entries(args).filter(([, arg]) => arg.fallback === requiredMark);
  return ['service-api', name, ...required.map(([argName]) => `${argName}:VALUE`)].join(' ');
}

/** Returns the help text with usage, options and every method. */
export function generalHelp(): string {
  const rows = Object.values(methods).map(({ name, summary }) => [name, summary] as const);
  return `${optionsHelp()}\nMethods:\n${columns(rows)}\nHelp on one method: service-api METHOD --help\n`;
}

/** Returns the help text of a method: summary, permission, arguments; throws UsageError for an unknown method. */
export function methodHelp(name: string): string {
  const method: Method | undefined = findMethod(name);
  if (!method) {
    throw new UsageError(`No help for ${name}: this client does not know the method${suggestion(name)}`);
  }
  const args = Object.entries(method.args).map(([name, arg]) => [name, describeArg(arg)] as const);
  return [
    `${method.name}: ${method.summary}\n`,
    ...(method.aliases.length > 0 ? [`Earlier names: ${method.aliases.join(', ')}\n`] : []),
    `Permission: ${describePermission(method)}\n`,
    `\nArguments:\n${args.length > 0 ? columns(args) : '  none\n'}`,
    `\nExample:\n  ${exampleLine(method)}\n`,
  ].join('');
}
