import { foldCase } from '@trunkline/db';
import { freeName } from './clean-name.ts';
import type { Finding } from './finding.ts';

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
