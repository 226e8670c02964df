import { findOperation, operations, requiredMark, type Arg, type Operation } from '@trunkline/contracts';
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

function describePermission({ permission: { caller, repository } }: Operation): string {
  if (caller === 'admin') return 'administrators only';
  const rights = [
    ...(caller === 'any' ? [] : [`users with ${caller.join(' or ')}`]),
    ...(repository === undefined ? [] : [`${repository} right on the repository`]),
  ];
  return rights.length === 0 ? 'any user' : rights.join(' and ');
}

function exampleLine({ name, args }: Operation): string {
  const required = Object.entries(args).filter(([, arg]) => arg.fallback === requiredMark);
  return ['service-api', name, ...required.map(([argName]) => `${argName}:VALUE`)].join(' ');
}

/** Usage, options and every operation. */
export function generalHelp(): string {
  const rows = Object.values(operations).map(({ name, summary }) => [name, summary] as const);
  return `${optionsHelp()}\nOperations:\n${columns(rows)}\nArguments of one: service-api METHOD --help\n`;
}

/** One operation: what it does, who may call it, what it takes. */
export function operationHelp(method: string): string {
  const operation: Operation | undefined = findOperation(method);
  if (!operation) throw new UsageError(`No help for ${method}: this client does not know it`);
  const args = Object.entries(operation.args).map(([name, arg]) => [name, describeArg(arg)] as const);
  return [
    `${operation.name}: ${operation.summary}\n`,
    ...(operation.aliases.length > 0 ? [`Earlier names: ${operation.aliases.join(', ')}\n`] : []),
    `Permission: ${describePermission(operation)}\n`,
    `\nArguments:\n${args.length > 0 ? columns(args) : '  none\n'}`,
    `\nExample:\n  ${exampleLine(operation)}\n`,
  ].join('');
}
