import { operations, requiredMark, type Arg, type Operation, type Permission } from '@trunkline/contracts';

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

function section(operation: Operation): string {
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
  ].join('\n\n');
}

/** docs/operations.md, whole. */
export function renderOperations(): string {
  const head =
    '# Operations\n\nGenerated from `packages/contracts`: `UPDATE_DOCS=1 npx vitest run --project unit tests/docs`.';
  return `${[head, ...Object.values<Operation>(operations).map(section)].join('\n\n')}\n`;
}
