import { describe, expect, it } from 'vitest';
import { VcsError } from '../vcs-error.ts';
import { RemoteError, remoteFailureOf } from './remote-error.ts';
import { RemoteRefusedError } from './remote-refused-error.ts';

const cutOff = new DOMException('x', 'TimeoutError');

describe('remoteFailureOf', () => {
  it.each([
    [new RemoteError('not found', 'x'), 'not found'],
    [new Error('x', { cause: new RemoteError('needs login', 'x') }), 'needs login'],
    [new RemoteRefusedError('scheme ssh is not enabled'), 'address refused'],
    [new VcsError('timeout', 'x'), 'timed out'],
    [new VcsError('too-large', 'x'), 'too large'],
    [new VcsError('cancelled', 'the time limit of the call has passed', { cause: cutOff }), 'timed out'],
    [new VcsError('cancelled', 'x', { cause: new Error('somebody cancelled it') }), null],
    [new VcsError('failed', 'the recorded tip is missing'), null],
    [new Error('the repository has no remote location'), null],
    ['x', null],
  ])('%s gives the reason %s', (error, failure) => {
    expect(remoteFailureOf(error)).toBe(failure);
  });
});

describe('RemoteError', () => {
  it.each([
    ['address refused', 'remote-refused'],
    ['too large', 'too-large'],
    ['timed out', 'timeout'],
    ['unreachable', 'remote-failed'],
    ['broken remote', 'remote-failed'],
  ] as const)('%s is of the kind %s', (failure, kind) => {
    expect(new RemoteError(failure, 'x').kind).toBe(kind);
  });
});
