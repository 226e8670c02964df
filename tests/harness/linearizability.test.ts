import { describe, expect, it } from 'vitest';
import { possibilitiesAfter, type HistoryEvent } from './linearizability.ts';
import { eventOf, type NameStates, type RepositoryCall } from './repository-model.ts';

const start = [{ state: { a: 'absent', b: 'absent' } as const, open: [] }];

const replies = {
  created: (id: number, repo_name = 'a') => ({ repo: { repo_id: id, repo_name } }),
  read: (repo_id: number, repo_name = 'a') => ({ repo_id, repo_name }),
  renamed: (repo_id: number, repo_name = 'b', locked_by: string | null = null) => ({
    repository: { repo_id, repo_name, locked_by },
  }),
  lock: (locked_by: string | null, repo = 'a') => ({ repo, locked_by }),
};
const createA: RepositoryCall = { kind: 'create', name: 'a', type: 'git' };
const renameA: RepositoryCall = { kind: 'rename', name: 'a', to: 'b' };
const deleteA: RepositoryCall = { kind: 'delete', name: 'a' };
const readA: RepositoryCall = { kind: 'read', name: 'a' };
const readB: RepositoryCall = { kind: 'read', name: 'b' };
const lockA: RepositoryCall = { kind: 'lock', name: 'a', holder: 'ann' };
const exists = { refused: 'repo `a` already exist' };
const missing = { refused: 'repository `a` does not exist' };
const noAnswer = 'no answer';

type Row = [
  invoked: number,
  responded: number,
  call: RepositoryCall,
  reply: object | null | typeof noAnswer | { refused: string },
];

function event([invoked, responded, call, reply]: Row): HistoryEvent<NameStates> {
  const label = `${invoked}-${responded} ${call.kind} ${call.name}`;
  if (reply === noAnswer) return eventOf(call, null, { label, invoked, responded });
  const refused = reply !== null && 'refused' in reply ? reply.refused : null;
  const envelope = { id: 1, result: refused === null ? reply : null, error: refused };
  return eventOf(call, envelope, { label, invoked, responded });
}

function explainable(...rounds: Row[][]): boolean {
  let possibilities: Parameters<typeof possibilitiesAfter<NameStates>>[0] = start;
  for (const round of rounds) possibilities = possibilitiesAfter(possibilities, round.map(event));
  return possibilities.length > 0;
}

describe('a history that some order of the calls explains', () => {
  it.each<[string, ...Row[][]]>([
    [
      'calls one after the other',
      [
        [0, 1, createA, replies.created(1)],
        [2, 3, readA, replies.read(1)],
        [4, 5, deleteA, {}],
        [6, 7, readA, null],
      ],
    ],
    [
      'one of two overlapping creations is refused',
      [
        [0, 9, createA, exists],
        [1, 8, createA, replies.created(1)],
      ],
    ],
    [
      'a repository is invisible while it is created, but its name is taken',
      [
        [0, 9, createA, replies.created(1)],
        [1, 2, createA, exists],
        [3, 4, readA, null],
      ],
    ],
    [
      'a repository is invisible while it is deleted, but its name is taken',
      [
        [0, 1, createA, replies.created(1)],
        [2, 9, deleteA, {}],
        [3, 4, readA, null],
        [5, 6, createA, exists],
      ],
    ],
    [
      'a lock moves with its repository',
      [
        [0, 1, createA, replies.created(1)],
        [2, 3, lockA, replies.lock('ann')],
        [4, 5, renameA, replies.renamed(1, 'b', 'ann')],
      ],
    ],
    [
      'a rename overlaps a refused lock',
      [
        [0, 1, createA, replies.created(1)],
        [2, 9, renameA, replies.renamed(1)],
        [3, 4, lockA, missing],
        [5, 6, readB, replies.read(1, 'b')],
      ],
    ],
    [
      'a creation without an answer never happened',
      [
        [0, 1, createA, noAnswer],
        [2, 3, readA, null],
      ],
      [[4, 5, createA, replies.created(1)]],
    ],
    [
      'a creation without an answer happens later',
      [
        [0, 1, createA, noAnswer],
        [2, 3, readA, null],
      ],
      [
        [4, 5, readA, replies.read(7)],
        [6, 7, readA, replies.read(7)],
      ],
    ],
    [
      'a deletion without an answer happens later',
      [
        [0, 1, createA, replies.created(1)],
        [2, 3, deleteA, noAnswer],
        [4, 5, readA, replies.read(1)],
      ],
      [[6, 7, readA, null]],
    ],
  ])('%s', (_, ...rounds) => {
    expect(explainable(...rounds)).toBe(true);
  });
});

describe('a history that no order of the calls explains', () => {
  it.each<[string, ...Row[][]]>([
    [
      'a stale read after a deletion',
      [
        [0, 1, createA, replies.created(1)],
        [2, 3, deleteA, {}],
        [4, 5, readA, replies.read(1)],
      ],
    ],
    [
      'a stale read after a deletion, in a later round',
      [
        [0, 1, createA, replies.created(1)],
        [2, 3, deleteA, {}],
      ],
      [[4, 5, readA, replies.read(1)]],
    ],
    [
      'two creations that both succeed',
      [
        [0, 9, createA, replies.created(1)],
        [1, 8, createA, replies.created(2)],
      ],
    ],
    [
      'a lost rename',
      [
        [0, 1, createA, replies.created(1)],
        [2, 3, renameA, replies.renamed(1)],
        [4, 5, readA, replies.read(1)],
      ],
    ],
    [
      'a rename and a deletion of one name that both succeed',
      [
        [0, 1, createA, replies.created(1)],
        [2, 9, renameA, replies.renamed(1)],
        [3, 8, deleteA, {}],
      ],
    ],
    [
      'a read that returns another id than the creation',
      [
        [0, 1, createA, replies.created(1)],
        [2, 3, readA, replies.read(2)],
      ],
    ],
    [
      'a read that is answered with another name',
      [
        [0, 1, createA, replies.created(1)],
        [2, 9, renameA, replies.renamed(1)],
        [3, 8, readA, replies.read(1, 'b')],
      ],
    ],
    [
      'a lost lock',
      [
        [0, 1, createA, replies.created(1)],
        [2, 3, lockA, replies.lock('ann')],
        [4, 5, { kind: 'readLock', name: 'a' }, replies.lock(null)],
      ],
    ],
    ['a refusal without a reason', [[0, 1, createA, exists]]],
    [
      'a creation without an answer that happens twice',
      [
        [0, 1, createA, noAnswer],
        [2, 3, readA, replies.read(7)],
        [4, 5, deleteA, {}],
        [6, 7, readA, replies.read(8)],
      ],
    ],
  ])('%s', (_, ...rounds) => {
    expect(explainable(...rounds)).toBe(false);
  });

  it('throws for an answer that the API never gives', () => {
    expect(() => explainable([[0, 1, createA, { refused: 'Internal server error' }]])).toThrow('Internal server error');
  });
});
