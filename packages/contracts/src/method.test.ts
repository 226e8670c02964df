import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { optional, required } from './args/arg.ts';
import { entityRef, type EntityRef } from './args/entity-ref.ts';
import { flag } from './args/flag.ts';
import { text } from './args/text.ts';
import { defineMethod, type ArgsOfMethod, type ResultOfMethod } from './method.ts';
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

describe('defineOperation', () => {
  it('has no earlier names unless they are given', () => {
    expect(example.aliases).toEqual([]);
    expect(defineMethod({ ...example, aliases: ['older'] }).aliases).toEqual(['older']);
  });

  it('keeps name and access as literals', () => {
    expectTypeOf(example.name).toEqualTypeOf<'example'>();
    expectTypeOf(example.access).toEqualTypeOf<'operation'>();
  });

  it('infers what a handler receives and returns', () => {
    expectTypeOf<ArgsOfMethod<typeof example>>().toEqualTypeOf<{
      readonly repoid: EntityRef;
      readonly private: boolean;
      readonly forks: string | null;
    }>();
    expectTypeOf<ResultOfMethod<typeof example>>().toEqualTypeOf<{ msg: string } | null>();
    expectTypeOf(parseArgs(example.args, { repoid: 'a' })).toEqualTypeOf<ArgsOfMethod<typeof example>>();
  });
});
