import type { Arg } from './arg.ts';
import { flag } from './flag.ts';

function picklistOptions(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if ('wrapped' in schema) return picklistOptions(schema.wrapped);
  const isPicklist = 'type' in schema && schema.type === 'picklist';
  return isPicklist && 'options' in schema && Array.isArray(schema.options) ? schema.options.map(String) : [];
}

/** Returns the values that an argument accepts, as clients of the command line write them; empty when they are open. */
export function argValues({ values, schema }: Pick<Arg<unknown>, 'values' | 'schema'>): readonly string[] {
  if (values) return values;
  return Object.is(schema, flag) ? ['true', 'false'] : picklistOptions(schema);
}
