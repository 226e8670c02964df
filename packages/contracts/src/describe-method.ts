import type { Permission } from './method.ts';

/** Returns a sentence of Markdown that names the users who may call a method. */
export function describePermission({ caller, repository, repoGroup, userGroupOwner }: Permission): string {
  if (caller === 'admin') return 'Administrators.';
  if (userGroupOwner) return 'Administrators, and the owner of the user group.';
  const globally = caller === 'any' ? [] : [caller.map((one) => `\`${one}\``).join(' or ')];
  const rights = [
    ...globally,
    ...(repository && repository !== 'none' ? [`at least ${repository} on the repository`] : []),
    ...(repoGroup ? [`at least ${repoGroup} on the repository group`] : []),
  ];
  return rights.length === 0 ? 'Every user.' : `Administrators, and users with ${rights.join(' and ')}.`;
}

/**
 * Describes the shape of a result, read from its valibot schema: on one line when `margin` is null, otherwise with a
 * line for each member, two spaces deeper than `margin`.
 */
export function describeShape(schema: unknown, margin: string | null = null): string {
  if (typeof schema !== 'object' || schema === null || !('type' in schema)) return 'any';
  const shape = (inner: unknown) => describeShape(inner, margin);
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
    return describeMembers(Object.entries(schema.entries), margin);
  }
  return schema.type === 'unknown' ? 'any' : String(schema.type);
}

function describeMembers(entries: readonly [string, unknown][], margin: string | null): string {
  if (margin === null) return `{${entries.map(([name, entry]) => `${name}: ${describeShape(entry)}`).join(', ')}}`;
  const inner = `${margin}  `;
  return `{\n${entries.map(([name, entry]) => `${inner}${name}: ${describeShape(entry, inner)}\n`).join('')}${margin}}`;
}
