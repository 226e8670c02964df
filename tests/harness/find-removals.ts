export interface Migration {
  readonly tag: string;
  readonly sql: string;
}

export interface Removal {
  readonly migration: string;
  readonly statement: string;
}

/** Returns the statements of a migration, without comments and the contents of texts and functions, with single spaces. */
function statementsOf(sql: string): string[] {
  const plain = sql
    .replaceAll(/'(?:[^']|'')*'|(\$\w*\$)[\s\S]*?\1|--[^\n]*|\/\*[\s\S]*?\*\//g, (found) =>
      /^['$]/.test(found) ? "''" : '',
    )
    .replaceAll('"', '');
  const statements = plain.split(';').map((statement) => statement.replaceAll(/\s+/g, ' ').trim());
  return statements.filter((statement) => statement !== '');
}

const created = /^CREATE TABLE (?:IF NOT EXISTS )?(?:public\.)?(\w+)/i;
const target =
  /^(?:ALTER TABLE (?:IF EXISTS )?(?:ONLY )?|CREATE UNIQUE INDEX .*? ON (?:ONLY )?|DELETE FROM (?:ONLY )?|TRUNCATE (?:TABLE )?)(?:public\.)?(\w+)/i;

const removing = [
  /^(?:DROP|TRUNCATE|DELETE)\b/i,
  /^ALTER\b.*\bRENAME\b/i,
  /^CREATE OR REPLACE\b/i,
  // Writes of the previous release may break a rule that it does not know.
  /^CREATE UNIQUE INDEX\b/i,
];

/** Clauses of ALTER TABLE after which the previous release reads or writes something that it does not expect. */
const removingClauses = [
  /^DROP\b/i,
  /^ALTER (?:COLUMN )?(?!COLUMN )\S+ (?:(?:SET DATA )?TYPE|SET NOT NULL|DROP DEFAULT|DROP NOT NULL)\b/i,
  /^ADD (?:CONSTRAINT|CHECK|UNIQUE|PRIMARY|FOREIGN|EXCLUDE)\b/i,
  /^ADD (?!.*\b(?:DEFAULT|GENERATED)\b).*\bNOT NULL\b/i,
];

function takesAway(statement: string): boolean {
  if (removing.some((pattern) => pattern.test(statement))) return true;
  const [, clauses] = /^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?\S+ (.*)$/i.exec(statement) ?? [];
  const each = clauses?.split(/, ?(?=(?:ADD|ALTER|DROP)\b)/i) ?? [];
  return each.some((clause) => removingClauses.some((pattern) => pattern.test(clause)));
}

/**
 * Finds statements that a process of the previous release may not survive: what they change existed before these
 * migrations, and they do more than add to it.
 */
export function findRemovals(migrations: readonly Migration[]): Removal[] {
  const statements = migrations.flatMap(({ tag, sql }) =>
    statementsOf(sql).map((statement) => ({ migration: tag, statement })),
  );
  const own = new Set(statements.map(({ statement }) => created.exec(statement)?.[1]));
  return statements.filter(({ statement }) => {
    const table = target.exec(statement)?.[1];
    return takesAway(statement) && (table === undefined || !own.has(table));
  });
}
