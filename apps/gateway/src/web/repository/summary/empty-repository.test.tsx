import { describe, expect, it } from 'vitest';
import type { RepositoryHead } from '../repository-head.ts';
import { EmptyRepository } from './empty-repository.tsx';

const visit = {
  baseUrl: 'https://code.example.com',
  visitor: { caller: { userId: 1, ip: '::1', credential: { kind: 'session', id: 1 } }, admin: false, session: null },
} as const;

const head: RepositoryHead = {
  repo_id: 1,
  repo_name: 'group/first',
  repo_type: 'git',
  private: false,
  description: '',
  owner: 'ann',
  fork_of: null,
  locked_by: null,
  last_changeset: null,
  created_on: '2026-01-31T12:00:00',
  level: 'write',
  landing_rev: 'tip',
  enable_downloads: false,
  clone_uri: null,
  size_bytes: null,
  default_branch: null,
  storage: null,
  followers: 0,
  forks: 0,
  is_following: false,
  parents: ['group'],
};

function shown(part: Partial<RepositoryHead>, push: boolean): string {
  const served = { git: { clone: true, push }, hg: { clone: true, push } };
  return String(<EmptyRepository visit={visit} repository={{ ...head, ...part }} served={served} />);
}

describe('an empty repository', () => {
  it.each(['write', 'admin'] as const)('shows the commands of a first push with the level %s', (level) => {
    expect(shown({ level }, true)).toContain('git push -u origin HEAD</pre>');
    expect(shown({ level, repo_type: 'hg' }, true)).toContain('hg push https://code.example.com/group/first</pre>');
    expect(shown({ level }, true)).not.toContain('will be listed here');
  });

  it('shows no command that its visitor may not use, or that is not served', () => {
    for (const text of [shown({ level: 'read' }, true), shown({}, false)]) {
      expect(text).not.toContain('push');
      expect(text).toContain('Its first changesets will be listed here.');
    }
  });
});
