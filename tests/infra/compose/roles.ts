import { readFileSync } from 'node:fs';
import { infra } from '../project-root.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns what `create-roles.sh` has psql run, without psql, of which test machines have none: the included file, with
 * the variables of the environment in the form of literals.
 */
export function roleSql(environment: Variables): string {
  const script = readFileSync(infra('postgres', 'create-roles.sh'), 'utf8');
  const [, body = ''] = /<<'SQL'\n([^]*?)^SQL$/m.exec(script) ?? [];
  const values: Record<string, string> = { DBNAME: environment['POSTGRES_DB'] ?? '' };
  for (const [, name = '', variable = ''] of body.matchAll(/^\\getenv (\w+) (\w+)$/gm)) {
    values[name] = environment[variable] ?? '';
  }
  const included = body.replaceAll(/^\\i (\S+)$/gm, (_, path: string) =>
    readFileSync(infra('postgres', path.slice(path.lastIndexOf('/') + 1)), 'utf8'),
  );
  const sql = included.replaceAll(/^(?:\\|--).*\n/gm, '');
  return sql.replaceAll(/:(['"])(\w+)\1/g, (_, quote: string, name: string) => `${quote}${values[name]}${quote}`);
}

/** Returns the statements of a script; those that follow one another are transactions of their own. */
export function statementsOf(sql: string): readonly string[] {
  return sql
    .split(/;\n/)
    .reduce<string[]>((found, part) => {
      const last = found.at(-1);
      // Within a body between `$$`, a semicolon ends no statement.
      if (last !== undefined && last.split('$$').length % 2 === 0) return [...found.slice(0, -1), `${last};\n${part}`];
      return [...found, part];
    }, [])
    .filter((statement) => statement.trim() !== '');
}
