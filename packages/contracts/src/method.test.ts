import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { optional, required } from './args/arg.ts';
import { type EntityRef, entityRef, flag, text } from './args/schemas.ts';
import { defineMethod, endsWithClient, type ArgsOfMethod, type ResultOfMethod } from './method.ts';
import { parseArgs } from './parse-args.ts';

const example = defineMethod({
  name: 'example',
  summary: 'Shows what is inferred.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'operation',
  args: {
    repoid: required(entityRef, 'An object'),
    private: optional(flag, false, 'A switch'),
    forks: optional(text(9), null, 'A text or nothing'),
  },
  result: v.nullable(v.strictObject({ msg: v.string() })),
});

describe('endsWithClient', () => {
  it('is true of reads, and of calls whose arguments say that they change nothing', () => {
    const changesData = ({ repair }: Readonly<Record<string, unknown>>) => repair !== undefined && repair !== false;
    expect(endsWithClient({ access: 'read' }, null)).toBe(true);
    expect(endsWithClient({ access: 'write' }, {})).toBe(false);
    expect(endsWithClient({ access: 'write', changesData }, {})).toBe(true);
    expect(endsWithClient({ access: 'write', changesData }, { repair: false })).toBe(true);
    expect(endsWithClient({ access: 'write', changesData }, { repair: 'true' })).toBe(false);
  });
});

describe('defineMethod', () => {
  it('gives a method no aliases unless they are listed', () => {
    expect(example.aliases).toEqual([]);
    expect(defineMethod({ ...example, aliases: ['older'] }).aliases).toEqual(['older']);
  });

  it('infers name and access as literal types', () => {
    expectTypeOf(example.name).toEqualTypeOf<'example'>();
    expectTypeOf(example.access).toEqualTypeOf<'operation'>();
  });

  it('infers the types of the arguments and the result of a handler', () => {
    expectTypeOf<ArgsOfMethod<typeof example>>().toEqualTypeOf<{
      readonly repoid: EntityRef;
      readonly private: boolean;
      readonly forks: string | null;
    }>();
    expectTypeOf<ResultOfMethod<typeof example>>().toEqualTypeOf<{ msg: string } | null>();
    expectTypeOf(parseArgs(example.args, { repoid: 'a' })).toEqualTypeOf<ArgsOfMethod<typeof example>>();
  });
});
