import { expect, it } from 'vitest';
import { toolFailure } from '../../process/tool-failure.ts';
import { VcsError } from '../../vcs-error.ts';
import { malformedRequest, MalformedRequestError } from './upload-pack.ts';

const failure = (stderr: string) => toolFailure('the command ended with 128', stderr, 128);

it.each([
  'fatal: protocol error: bad line length character: xxxx\n',
  "fatal: unknown capability 'evil'\n",
  "warning: something\nfatal: invalid command 'evil'\n",
  "fatal: git upload-pack: protocol error, expected to get oid, not 'want x'\n",
  'fatal: the remote end hung up unexpectedly\n',
])('is what git finds wrong with a request: %s', (stderr) => {
  expect(malformedRequest(failure(stderr))).toBeInstanceOf(MalformedRequestError);
});

it.each([
  'fatal: bad object HEAD\n',
  'fatal: unexpected line in ./packed-refs: x\n',
  'fatal: git upload-pack: git-pack-objects died with error.\n',
  "fatal: not a git repository: '/x'\n",
  'error: invalid command\n',
  '',
])('is not what is wrong with a repository: %s', (stderr) => {
  const error = failure(stderr);
  expect(malformedRequest(error)).toBe(error);
});

it('is no failure of another kind', () => {
  const error = new VcsError('timeout', 'fatal: protocol error: bad line length 1');
  expect(malformedRequest(error)).toBe(error);
});
