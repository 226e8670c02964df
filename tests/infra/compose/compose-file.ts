import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** What this code uses of a service in a compose file. */
export interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly deploy?: { readonly replicas?: number };
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly networks?: { readonly front?: { readonly ipv4_address?: string } } | readonly string[];
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
}

type Variables = Readonly<Record<string, string | undefined>>;

const reference = /\$\{(\w+)(?::([-?])([^}]*))?\}/g;

/** Returns the names of the variables that a text refers to and that have no default. */
export function requiredVariables(text: string): Set<string> {
  const found = [...text.matchAll(reference)].filter(([, , kind]) => kind !== '-');
  return new Set(found.map(([, name = '']) => name));
}

/** Puts the values of variables into a text as Compose does; throws when one is missing. */
export function interpolate(text: string, variables: Variables): string {
  return text.replaceAll(reference, (_, name: string, kind?: string, more = '') => {
    const value = variables[name];
    if (value) return value;
    if (kind === '-') return more;
    throw new Error(`the compose file needs ${name}`);
  });
}

/** Reads a compose file with these variables. */
export function readCompose(path: string, variables: Variables): ComposeFile {
  return parse(interpolate(readFileSync(path, 'utf8'), variables), { merge: true }) as ComposeFile;
}

/** Returns the names of the services on which one depends. */
export function dependenciesOf({ depends_on: named = [] }: ComposeService): readonly string[] {
  return Array.isArray(named) ? named : Object.keys(named);
}

/** Returns the names of services so that each comes after those on which it depends. */
export function inOrder({ services }: ComposeFile): readonly string[] {
  const ordered = new Set<string>();
  const add = (name: string) => {
    const service = services[name];
    if (!service) throw new Error(`the compose file has no service ${name}`);
    for (const one of dependenciesOf(service)) add(one);
    ordered.add(name);
  };
  for (const name of Object.keys(services)) add(name);
  return [...ordered];
}
