import { operations, requiredMark, type Arg, type Operation, type Permission } from '@trunkline/contracts';
import type { Examples } from './example-file.ts';

function who({ caller, repository, repoGroup, userGroupOwner }: Permission): string {
  if (caller === 'admin') return 'Administrators.';
  if (userGroupOwner) return 'Administrators, and the owner of the user group.';
  const globally = caller === 'any' ? [] : [caller.map((one) => `\`${one}\``).join(' or ')];
  const rights = [
    ...globally,
    ...(repository ? [`at least ${repository} on the repository`] : []),
    ...(repoGroup ? [`at least ${repoGroup} on the repository group`] : []),
  ];
  return rights.length === 0 ? 'Every user.' : `Administrators, and users with ${rights.join(' and ')}.`;
}

function argumentRow([name, arg]: [string, Arg<unknown>]): string {
  const fallback = arg.fallback === requiredMark ? 'required' : arg.shownDefault;
  const also = arg.alsoNamed.map((one) => `; also sent as \`${one}\``).join('');
  return `| \`${name}\` | ${fallback.replaceAll('|', '\\|')} | ${arg.summary}${also} |`;
}

/** A result's shape in short, from the schema's own description of itself. */
function shape(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null || !('type' in schema)) return 'any';
  if (schema.type === 'nullable' && 'wrapped' in schema) return `${shape(schema.wrapped)} or null`;
  if (schema.type === 'optional' && 'wrapped' in schema) return `${shape(schema.wrapped)}, may be absent`;
  if (schema.type === 'array' && 'item' in schema) return `list of ${shape(schema.item)}`;
  if (schema.type === 'tuple' && 'items' in schema && Array.isArray(schema.items)) {
    return `[${schema.items.map(shape).join(', ')}]`;
  }
  if (schema.type === 'union' && 'options' in schema && Array.isArray(schema.options)) {
    return schema.options.map(shape).join(' or ');
  }
  if (schema.type === 'picklist' && 'options' in schema && Array.isArray(schema.options)) {
    return schema.options.map((one) => JSON.stringify(one)).join(' or ');
  }
  if (schema.type === 'literal' && 'literal' in schema) return JSON.stringify(schema.literal);
  if (schema.type === 'record' && 'value' in schema) return `{name: ${shape(schema.value)}}`;
  if ('entries' in schema && typeof schema.entries === 'object' && schema.entries !== null) {
    return `{${Object.entries(schema.entries)
      .map(([name, entry]) => `${name}: ${shape(entry)}`)
      .join(', ')}}`;
  }
  return schema.type === 'unknown' ? 'any' : String(schema.type);
}

/** An exchange as it was recorded, the request on one line as clients send it. */
function exchange(method: string, examples: Examples): string {
  const example = examples[method];
  if (!example) throw new Error(`no example of ${method}`);
  const request = JSON.stringify({ id: 1, api_key: '…', method, args: example.args });
  const reply = JSON.stringify({ id: 1, result: example.result, error: null }, null, 2);
  return `\`\`\`\n${request}\n\`\`\`\n\n\`\`\`json\n${reply}\n\`\`\``;
}

function section(operation: Operation, examples: Examples): string {
  const args = Object.entries(operation.args);
  const table = ['| argument | default | meaning |', '|---|---|---|', ...args.map(argumentRow)].join('\n');
  const lane = operation.laneOf ? `${operation.lane}, or another by its arguments` : operation.lane;
  const aliases = operation.aliases.map((alias) => `\`${alias}\``).join(', ');
  return [
    `## ${operation.name}`,
    operation.summary,
    `${who(operation.permission)} Lane: ${lane}.${aliases === '' ? '' : ` Also answers to ${aliases}.`}`,
    args.length === 0 ? 'No arguments.' : table,
    `Result: \`${shape(operation.result)}\``,
    exchange(operation.name, examples),
  ].join('\n\n');
}

const head = `# Operations

Generated from \`packages/contracts\`, by \`UPDATE_DOCS=1 npx vitest run --project unit tests/docs\`. The examples are what
an administrator and the service really exchanged, keys, times and the like replaced; they come from
\`tests/cluster/documented-examples.test.ts\`, which writes them when run with \`UPDATE_DOCS=1\`, and else compares.`;

/** docs/operations.md, whole. */
export function renderOperations(examples: Examples): string {
  const sections = Object.values<Operation>(operations).map((operation) => section(operation, examples));
  return `${[head, ...sections].join('\n\n')}\n`;
}
