import { describe, expect, it } from 'vitest';
import { cloneCommand, firstPush, type ClientAddress } from './client-commands.ts';

const address: ClientAddress = {
  type: 'git',
  name: 'group/first',
  baseUrl: 'https://code.example.com',
  username: 'ann',
};

describe('cloneCommand', () => {
  it.each<[Partial<ClientAddress>, string]>([
    [{}, 'git clone https://ann@code.example.com/group/first'],
    [{ username: null }, 'git clone https://code.example.com/group/first'],
    [{ type: 'hg' }, 'hg clone https://ann@code.example.com/group/first'],
    [{ username: 'ann@example.com' }, 'git clone https://ann%40example.com@code.example.com/group/first'],
    [{ name: 'über/grün' }, 'git clone https://ann@code.example.com/%C3%BCber/gr%C3%BCn grün'],
    [{ name: 'über/first' }, 'git clone https://ann@code.example.com/%C3%BCber/first'],
    [{ username: 'jürgen' }, 'git clone https://j%C3%BCrgen@code.example.com/group/first'],
    [{ type: 'hg', username: 'jürgen' }, 'hg clone https://api-key@code.example.com/group/first'],
    [{ baseUrl: 'http://127.0.0.1:5000' }, 'git clone http://ann@127.0.0.1:5000/group/first'],
    [{ baseUrl: 'http://[::1]:5000' }, "git clone 'http://ann@[::1]:5000/group/first'"],
  ])('%j', (part, command) => {
    expect(cloneCommand({ ...address, ...part })).toBe(command);
  });

  it('D1 D5 has no character that a shell or a URL reads as more, whatever the names hold', () => {
    const hostile = `a'b $(id)\`;&|<>"\\ -u#?x`;
    expect(cloneCommand({ ...address, name: hostile, username: hostile })).toBe(
      String.raw`git clone 'https://a'\''b%20%24(id)%60%3B%26%7C%3C%3E%22%5C%20-u%23%3Fx@code.example.com/` +
        String.raw`a'\''b%20%24(id)%60%3B%26%7C%3C%3E%22%5C%20-u%23%3Fx' 'a'\''b $(id)` +
        '`;&|<>"' +
        String.raw`\ -u#?x'`,
    );
  });
});

describe('firstPush', () => {
  it('pushes files, or a repository that exists, by git', () => {
    expect(firstPush(address)).toEqual({
      ofFiles: [
        'git init',
        'git add .',
        'git commit -m "First commit"',
        'git remote add origin https://ann@code.example.com/group/first',
        'git push -u origin HEAD',
      ],
      ofRepository: ['git remote add origin https://ann@code.example.com/group/first', 'git push -u origin --all'],
    });
  });

  it('pushes files, or a repository that exists, by Mercurial', () => {
    const push = 'hg push https://ann@code.example.com/group/first';
    expect(firstPush({ ...address, type: 'hg' })).toEqual({
      ofFiles: ['hg init', 'hg add', 'hg commit -m "First commit"', push],
      ofRepository: [push],
    });
  });
});
