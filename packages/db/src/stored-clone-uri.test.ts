import { expect, it } from 'vitest';
import { maskCredentials, maskSent } from './stored-clone-uri.ts';

it.each([
  ['https://host.example/x', 'https://host.example/x'],
  ['https://bob:s3cret@host.example/x', 'https://bob:*****@host.example/x'],
  ['HTTP://bob:a:b@c@host.example:80/x', 'HTTP://bob:*****@host.example:80/x'],
  ['https://:s3cret@host.example/x', 'https://:*****@host.example/x'],
  ['https://token@host.example/x', 'https://*****@host.example/x'],
  ['ssh://git@host.example/x', 'ssh://git@host.example/x'],
  ['git@host.example:x', 'git@host.example:x'],
  ['https://host.example:8080/a@b', 'https://host.example:8080/a@b'],
])('D10 shows %j as %j', (cloneUri, shown) => {
  expect(maskCredentials(cloneUri)).toBe(shown);
});

it.each([
  ['https://bob:s3cret@host.example/x', 'https://bob:*****@host.example/x'],
  ['https://bob:s3c@ret@host.example/x', 'https://bob:*****@host.example/x'],
  ['https://bob:s3/cret@host.example/x', '*****'],
  ['https://bob:s@3/cret@host.example/x', '*****'],
  ['https://bob:s@3?c#ret@host.example/x', '*****'],
  [' https://bob:s3cret@host.example/x', '*****'],
  ['bob:s3cret@host.example:x', '*****'],
  ['git@host.example:x', 'git@host.example:x'],
  ['/local/path', '/local/path'],
])('D10 shows %j, as a client sent it, as %j', (sent, shown) => {
  expect(maskSent(sent)).toBe(shown);
});
