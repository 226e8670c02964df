import { nameCharsMax, repositoryNameProblem, userGroupNameProblem, usernameProblem } from '@trunkline/contracts';
import { foldCase } from '@trunkline/db';
import type { Finding } from './finding.ts';

type ProblemOf = (name: string) => string | undefined;

/** Shorter than names may be, by the number that tells names apart. */
const cleanCharsMax = nameCharsMax - 55;

/** Returns a name like this one in which all characters are accepted, and runs of others are `_`. */
function withAccepted(name: string, problemOf: ProblemOf): string {
  const known = new Map<string, boolean>();
  const isAccepted = (character: string) => {
    const is = known.get(character) ?? problemOf(`x_${character}_`) === undefined;
    known.set(character, is);
    return is;
  };
  let clean = '';
  let isRun = false;
  for (const character of name.normalize('NFC')) {
    const is = isAccepted(character);
    if (is) clean += character;
    else if (!isRun) clean += '_';
    isRun = !is;
    if (clean.length >= cleanCharsMax) break;
  }
  return clean.normalize('NFC');
}

/** Returns the first of a few names like this one that is accepted; `_` in front or at the end makes a name of any text. */
function toAccepted(name: string, problemOf: ProblemOf): string {
  const clean = withAccepted(name, problemOf);
  const candidates = [clean, `${clean}_`, `_${clean}`, `_${clean}_`];
  return candidates.find((candidate) => problemOf(candidate) === undefined) ?? '_';
}

/** Returns a name of a user like this one, which is accepted. */
export function cleanUsername(name: string): string {
  return toAccepted(name, usernameProblem);
}

/** Returns a name of a user group like this one, which is accepted. */
export function cleanUserGroupName(name: string): string {
  return toAccepted(name, userGroupNameProblem);
}

/** Returns a segment of a repository's or group's name like this one, which is accepted. */
export function cleanSegment(segment: string, isFirst: boolean): string {
  const whole = (one: string) => repositoryNameProblem(isFirst ? one : `x/${one}`);
  return toAccepted(segment, (one) => (one.includes('/') ? 'it is one segment' : whole(one)));
}

/** Returns the first of `name`, `name-2`, `name-3` … that is free. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (!isTaken(candidate)) return candidate;
  }
}

interface Named {
  readonly id: number;
  readonly name: string;
}

interface Naming {
  /** Word for the kind, such as `user`. */
  readonly word: string;
  readonly clean: (name: string) => string;
  /** Why a name is refused; undefined for one that is accepted. */
  readonly problemOf: (name: string) => string | undefined;
  /** The names that objects of this source have here already, by ids of the source. */
  readonly known: ReadonlyMap<number, string>;
  /** Folded forms of all other names here. */
  readonly taken: ReadonlySet<string>;
}

/** Returns the name of each user or user group here. Names that are accepted as they are come first. */
export function planNames(all: readonly Named[], naming: Naming, findings: Finding[]): ReadonlyMap<number, string> {
  const { word, clean, problemOf, known } = naming;
  const taken = new Set(naming.taken);
  const planned = new Map<number, string>();
  const keep = (id: number, name: string) => {
    planned.set(id, name);
    taken.add(foldCase(name));
  };
  for (const [id, name] of known) keep(id, name);
  const unknown = all.filter(({ id }) => !known.has(id));
  const isFine = ({ name }: Named) => problemOf(name) === undefined;
  for (const one of [...unknown.filter(isFine), ...unknown.filter((other) => !isFine(other))]) {
    const name = freeName(clean(one.name), (candidate) => taken.has(foldCase(candidate)));
    if (name !== one.name) {
      const why = problemOf(one.name) ?? 'the name is taken, or differs from another one in case alone';
      findings.push({ kind: 'renamed', about: `${word} ${one.name}`, what: why, proposed: name });
    }
    keep(one.id, name);
  }
  return planned;
}
