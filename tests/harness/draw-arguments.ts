import { requiredMark, served, type Arg, type ServedName } from '@trunkline/contracts';
import { drawPlain } from './draw-plain.ts';
import type { Hostility } from './hostile-values.ts';
import type { Random } from './random.ts';

type Some<T> = readonly [T, ...T[]];
type Drawn = [name: string, value: unknown];

export interface ArgumentTools {
  readonly random: Random;
  readonly hostile: Hostility;
  /** What a call may name. */
  readonly known: Readonly<Record<'repoid' | 'operation_id', Some<unknown>>>;
}

function drawRight(method: ServedName, name: string, { random, known }: ArgumentTools): unknown {
  return name === 'repoid' || name === 'operation_id' ? random.pick(known[name]) : drawPlain(method, name, random);
}

const specsOf = (method: ServedName) => Object.entries<Arg<unknown>>(served[method].args);
const isRequired = ({ fallback }: Arg<unknown>) => fallback === requiredMark;

/** Arguments that make sense; in half of the calls one of them is hostile. */
function drawMild(method: ServedName, tools: ArgumentTools): Drawn[] {
  const { random, hostile } = tools;
  const sent = specsOf(method).filter(([, spec]) => isRequired(spec) || random.below(3) === 0);
  const broken = random.below(2 * sent.length);
  return sent.map(([name], at) => [name, at === broken ? hostile.value() : drawRight(method, name, tools)]);
}

/** Some that make sense, some hostile, some missing, some too many. */
function drawWild(method: ServedName, tools: ArgumentTools): Drawn[] {
  const { random, hostile } = tools;
  const sent = specsOf(method).flatMap(([name, spec]): Drawn[] => {
    if (random.below(10) < (isRequired(spec) ? 1 : 5)) return [];
    const value = random.below(5) < 2 ? hostile.value() : drawRight(method, name, tools);
    return [[random.pick([name, name, ...spec.alsoNamed]), value]];
  });
  return random.below(20) === 0 ? [...sent, [hostile.text(), hostile.value()]] : sent;
}

/** Arguments for an operation or a view: for two calls of three such that only one of them may be wrong. */
export function drawArguments(method: ServedName, tools: ArgumentTools): Record<string, unknown> {
  const draw = tools.random.below(3) === 0 ? drawWild : drawMild;
  return Object.fromEntries(draw(method, tools));
}
