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
    ['# a comment \\\n[extensions]\nobjectFormat = sha256', 'extensions.objectformat', 'sha256'],
    ['[core]\nbare = true ; so \\\n', 'core.bare', 'true'],
    ['[core]\nbare = "a;\\\nb"', 'core.bare', 'a'],
  ])('reads %j', (text, name, value) => {
    expect(parseGitConfiguration(text)).toEqual([{ name, value }]);
  });

  it('skips comments and lines that are no setting', () => {
    expect(parseGitConfiguration('# a = b\n; c = d\n[core\n= x\n\n[a]\n')).toEqual([]);
  });
});
