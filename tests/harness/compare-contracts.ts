import type * as contracts from '@trunkline/contracts';
import * as v from 'valibot';

/** Exports of a release's contracts; each release has a mark of its own. */
type Contracts = Pick<typeof contracts, 'served' | 'busPermissions' | 'requiredMark'>;

const Wrapped = v.object({ wrapped: v.unknown() });
const Listed = v.object({ type: v.literal('array'), item: v.unknown() });
const Membered = v.object({
  type: v.picklist(['object', 'strict_object']),
  entries: v.record(v.string(), v.unknown()),
});
const Absent = v.object({ type: v.picklist(['optional', 'exact_optional', 'undefinedable', 'nullish']) });

/** Returns the paths of the members that a value of a schema has; those of alternatives are not looked at. */
function membersOf(schema: unknown, path = ''): string[] {
  if (v.is(Absent, schema)) return [];
  if (v.is(Listed, schema)) return membersOf(schema.item, `${path}[]`);
  if (v.is(Wrapped, schema)) return membersOf(schema.wrapped, path);
  if (!v.is(Membered, schema)) return [];
  return Object.entries(schema.entries).flatMap(([name, entry]) => {
    const own = `${path}.${name}`;
    return v.is(Absent, entry) ? [] : [own, ...membersOf(entry, own)];
  });
}

/** Returns the names under which clients send arguments. */
const argumentNames = (args: contracts.ArgSpecs) =>
  Object.entries(args).flatMap(([name, { aliases }]) => [name, ...aliases]);

function compareMethods(before: contracts.Method, after: contracts.Method, marks: readonly symbol[]): string[] {
  const [markBefore, markAfter] = marks;
  const accepted = new Set(argumentNames(after.args));
  const sent = new Set(membersOf(before.result));
  const required = Object.entries(after.args).filter(
    ([name, { fallback }]) => fallback === markAfter && before.args[name]?.fallback !== markBefore,
  );
  return [
    ...(before.lane === after.lane ? [] : [`its lane has become ${after.lane}`]),
    ...argumentNames(before.args)
      .filter((name) => !accepted.has(name))
      .map((name) => `its argument ${name} is gone`),
    ...required.map(([name]) => `its argument ${name} has become required`),
    ...membersOf(after.result)
      .filter((path) => !sent.has(path))
      .map((path) => `its result has to have ${path}`),
  ];
}

/** Finds what processes of the release `before` send to those of the release `after`, or expect of them, in vain. */
export function findIncompatibilities(before: Contracts, after: Contracts): string[] {
  const own = new Map<string, contracts.Method>(Object.entries(after.served));
  const methods = Object.values<contracts.Method>(before.served).flatMap((method) => {
    const found = own.get(method.name);
    const faults = found
      ? compareMethods(method, found, [before.requiredMark, after.requiredMark])
      : ['it is not served any more'];
    return faults.map((fault) => `${method.name}: ${fault}`);
  });
  const subjects = (['gateway', 'worker'] as const).flatMap((role) =>
    (['publish', 'subscribe'] as const).flatMap((what) => {
      const permitted: readonly string[] = after.busPermissions[role][what];
      const gone = before.busPermissions[role][what].filter((subject) => !permitted.includes(subject));
      return gone.map((subject) => `a ${role} may no longer ${what} ${subject}`);
    }),
  );
  return [...methods, ...subjects];
}
