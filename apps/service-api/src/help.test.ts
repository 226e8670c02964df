import { methods } from '@trunkline/contracts';
import { describe, expect, it } from 'vitest';
import { UsageError } from './client-error.ts';
import { generalHelp, methodHelp } from './help.ts';

describe('generalHelp', () => {
  it('lists every method with its summary', () => {
    const lines = generalHelp().split('\n');
    for (const { name, summary } of Object.values(methods)) {
      expect(lines.find((line) => line.trim().startsWith(`${name} `))?.endsWith(summary)).toBe(true);
    }
  });

  it('lists the methods by what they are about', () => {
    const text = generalHelp();
    expect(text).toMatch(/^Repositories:\n {2}create_repo  /m);
    expect(text).toMatch(/^API keys:\n(?: {2}\w+ .*\n){4}\n/m);
    expect(text.match(/^ {2}get_repo /gm)).toHaveLength(1);
  });

  it.each([
    '--apikey',
    '--apihost',
    '--config',
    '--profile',
    '--save-config',
    '--fail-on-null',
    '--format',
    '--help',
    '--version',
  ])('explains %s', (option) => {
    expect(generalHelp()).toContain(option);
  });
});

describe('methodHelp', () => {
  it('shows arguments, permission and an example', () => {
    const text = methodHelp('create_repo');
    expect(text).toContain('Permission: Administrators, and users with hg.create.repository.\n');
    expect(text).toMatch(/^ {2}repo_name +Full name;.* \(required\)$/m);
    expect(text).toMatch(/^ {2}owner +.* \(default: the caller\)$/m);
    expect(text).toMatch(/^ {2}private +.* \(default: false\)$/m);
    expect(text).toContain('\n  service-api create_repo repo_name:VALUE\n');
  });

  it.each([
    ['get_repo', 'Administrators, and users with at least read on the repository.'],
    ['update_repo_group', 'Administrators, and users with at least admin on the repository group.'],
    ['get_users', 'Administrators.'],
    ['get_user', 'Every user.'],
  ])('shows the permission of %s', (name, permission) => {
    expect(methodHelp(name)).toContain(`\nPermission: ${permission}\n`);
  });

  it('shows older names of arguments', () => {
    expect(methodHelp('grant_user_group_permission')).toMatch(/^ {2}usersgroupid .*; also sent as usergroupid\)$/m);
  });

  it('finds a method by an earlier name', () => {
    expect(methodHelp('show_ip')).toContain('get_ip: ');
  });

  it.each(Object.keys(methods))('has an example for %s', (name) => {
    expect(methodHelp(name)).toContain(`service-api ${name}`);
  });

  it.each(['nosuch', '__proto__', 'constructor'])('throws UsageError for %s', (name) => {
    expect(() => methodHelp(name)).toThrow(UsageError);
  });
});
