import {
  databaseStatements,
  grantStatements,
  roleNames,
  roleStatements,
  tierFunctions,
  tierRights,
} from '@trunkline/db';

const written = (source: string) =>
  `-- Written from ${source}: UPDATE_DOCS=1 npx vitest run --project unit tests/docs\n`;

const joined = (statements: readonly string[]) => statements.map((statement) => `${statement};\n`).join('');

/** Renders `infra/postgres/roles.sql`: what a superuser runs in the database, once, and again for a database that exists. */
export function renderRoles(): string {
  const what = [
    '-- Creates the roles of an instance, and makes the database in which it runs the owner’s:',
    '--   psql -d trunkline -f roles.sql         as a superuser; again does no harm',
    '-- Then set the passwords, which psql sends as digests: \\password trunkline_owner, and so on.',
    '-- A role that owned the tables becomes a member of the new owner, so that what runs goes on:',
    '--   revoke trunkline_owner from <that role>;   when nothing uses it any more',
  ];
  return [
    written('packages/db/src/rights/role-statements.ts'),
    `${what.join('\n')}\n`,
    joined(roleStatements()),
    joined(databaseStatements(':"DBNAME"')),
  ].join('\n');
}

/** Renders `infra/postgres/grants.sql`: the rights that a process which migrates gives to the roles. */
export function renderGrants(): string {
  const parts = (['gateway', 'worker'] as const).map((tier) =>
    joined(grantStatements(roleNames[tier], tierRights[tier], tierFunctions[tier])),
  );
  return [
    written('packages/db/src/rights'),
    '-- A process that migrates does this by itself; here it is to be read, or run by the owner.\n',
    `begin;\n${parts.join('\n')}commit;\n`,
  ].join('\n');
}
