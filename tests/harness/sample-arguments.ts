import { requiredMark, served, type Arg, type ServedName } from '@trunkline/contracts';
import fc from 'fast-check';
import type { Hostility } from './hostile-values.ts';
import { plainValues } from './sample-plain.ts';

type Some<T> = readonly [T, ...T[]];
type Arguments = Record<string, unknown>;

export interface ArgumentTools {
  readonly hostile: Hostility;
  /** Repositories and operations that calls may name. */
  readonly known: Readonly<Record<'repoid' | 'operation_id', Some<unknown>>>;
}

const specsOf = (method: ServedName) => Object.entries<Arg<unknown>>(served[method].args);
const isRequired = ({ fallback }: Arg<unknown>) => fallback === requiredMark;

function rightValue(method: ServedName, name: string, { known }: ArgumentTools): fc.Arbitrary<unknown> {
  const values = name === 'repoid' || name === 'operation_id' ? known[name] : plainValues(method, name);
  return fc.constantFrom(...values);
}

/** Samples undefined in `percent` of a hundred cases. */
function absentIn<T>(percent: number, present: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof(
    { weight: percent, arbitrary: fc.constant(undefined) },
    { weight: 100 - percent, arbitrary: present },
  );
}

function present(entries: readonly (readonly [string, unknown] | undefined)[]): Arguments {
  return Object.fromEntries(entries.filter((entry) => entry !== undefined));
}

/** Samples arguments that make sense, of which one is hostile in half of the calls. */
function mildArguments(method: ServedName, tools: ArgumentTools): fc.Arbitrary<Arguments> {
  const entries = specsOf(method).map(([name, spec]) => {
    const entry = rightValue(method, name, tools).map((value) => [name, value] as const);
    return isRequired(spec) ? entry : absentIn(67, entry);
  });
  const hostile = absentIn(50, fc.tuple(fc.nat(100), tools.hostile.value));
  return fc.tuple(fc.tuple(...entries), hostile).map(([sampled, broken]) => {
    const args = present(sampled);
    const names = Object.keys(args);
    const name = broken && names[broken[0] % names.length];
    return name === undefined ? args : { ...args, [name]: broken?.[1] };
  });
}

/** Samples arguments of which some make sense, some are hostile, some missing and some unknown to the method. */
function wildArguments(method: ServedName, tools: ArgumentTools): fc.Arbitrary<Arguments> {
  const entries = specsOf(method).map(([name, spec]) => {
    const value = fc.oneof(
      { weight: 3, arbitrary: rightValue(method, name, tools) },
      { weight: 2, arbitrary: tools.hostile.value },
    );
    return absentIn(isRequired(spec) ? 10 : 50, fc.tuple(fc.constantFrom(name, name, ...spec.aliases), value));
  });
  const further = absentIn(95, fc.tuple(tools.hostile.text, tools.hostile.value));
  return fc.tuple(fc.tuple(...entries), further).map(([sampled, one]) => present([...sampled, one]));
}

/** Samples arguments for a method or a view; in two of three calls at most one argument is wrong. */
export function sampleArguments(method: ServedName, tools: ArgumentTools): fc.Arbitrary<Arguments> {
  return fc.oneof(
    { weight: 2, arbitrary: mildArguments(method, tools) },
    { weight: 1, arbitrary: wildArguments(method, tools) },
  );
}
