import { describe, expect, it } from 'vitest';
import { privilegesOf, tableNames, tierFunctions } from './rights.ts';
import { gatewayRights } from './gateway-rights.ts';
import { grantStatements, quoteName, quoteText } from './grants.ts';
import { databaseStatements, roleStatements } from './role-statements.ts';
import { workerRights } from './worker-rights.ts';

const changes = (rights: typeof gatewayRights) => [
  ...new Set(privilegesOf(rights).flatMap(({ table, kind }) => (kind === 'select' ? [] : [table]))),
];

describe('the rights of the tiers', () => {
  it('E16 gateways write nothing but what signing in and the use of keys record', () => {
    expect(changes(gatewayRights)).toEqual(['users', 'api_keys', 'sessions', 'sign_in_sources']);
  });

  it('E16 neither tier changes the addresses from which users have signed in, except gateways', () => {
    expect(changes(workerRights)).not.toContain('sign_in_sources');
  });

  it('name every table in the same words as the database', () => {
    expect(tableNames(gatewayRights).toSorted()).toEqual(tableNames(workerRights).toSorted());
    expect(privilegesOf(gatewayRights)).toContainEqual({ table: 'users', kind: 'update', columns: ['last_login'] });
    // `hmac` and `name` have other names in the database than in the code.
    const reads = privilegesOf(gatewayRights).find(({ table, kind }) => table === 'api_keys' && kind === 'select');
    expect(reads?.columns).toContain('mac');
    expect(privilegesOf(workerRights)).toContainEqual({ table: 'names', kind: 'update', columns: ['path'] });
  });
});

describe('grantStatements', () => {
  it('takes every other right on a table back before it gives those of the description', () => {
    const statements = grantStatements('my"role', gatewayRights, []);
    const grant = 'grant select ("id", "state") on public."operations" to "my""role"';
    const at = statements.indexOf(grant);
    expect(statements[at - 1]).toBe('revoke all on public."operations" from "my""role"');
    expect(statements).toContain('revoke all on public."audit_log" from "my""role"');
    expect(statements.join('\n')).not.toContain('grant all');
  });

  it('E16 lets a role call the functions of its tier, and none of the other tier', () => {
    const on = 'execute on function public."record_client_fetches"';
    expect(grantStatements('one', workerRights, tierFunctions.worker)).toContain(`grant ${on} to "one"`);
    expect(grantStatements('two', gatewayRights, tierFunctions.gateway)).toContain(`revoke ${on} from "two"`);
  });
});

describe('names and texts of SQL', () => {
  it('cannot end early', () => {
    expect(quoteName('a"b')).toBe('"a""b"');
    expect(quoteText("a'b")).toBe("'a''b'");
  });

  it('a password is in the statement of its role alone, and in none without passwords', () => {
    const statements = roleStatements({ owner: `'one'`, gateway: `'two'`, worker: `'three'` });
    expect(statements.filter((statement) => statement.includes(`'two'`))).toEqual([
      expect.stringMatching(/^alter role "trunkline_gateway" login nosuperuser .* password 'two'$/),
    ]);
    expect(roleStatements().join()).not.toContain('password');
    expect(databaseStatements('"own"')).toContain('revoke all on database "own" from public');
  });
});
