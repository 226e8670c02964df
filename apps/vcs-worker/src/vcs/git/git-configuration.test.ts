import { describe, expect, it } from 'vitest';
import { parseGitConfiguration } from './git-configuration.ts';

describe('parseGitConfiguration', () => {
  it.each([
    ['[core]\n\tbare = true', 'core.bare', 'true'],
    ['[CORE]\r\nBare=true\r\n', 'core.bare', 'true'],
    ['[core] bare', 'core.bare', 'true'],
    ['[remote "a b]"]\n promisor = yes ; why', 'remote.promisor', 'yes'],
    ['[remote.old]\npromisor', 'remote.promisor', 'true'],
    ['[extensions]\nobjectFormat = "sha256" # new', 'extensions.objectformat', 'sha256'],
    ['[extensions]\nobjectFormat = sha\\\n256', 'extensions.objectformat', 'sha256'],
  ])('reads %j', (text, name, value) => {
    expect(parseGitConfiguration(text)).toEqual([{ name, value }]);
  });

  it('passes over comments and what is no setting', () => {
    expect(parseGitConfiguration('# a = b\n; c = d\n[core\n= x\n\n[a]\n')).toEqual([]);
  });
});
