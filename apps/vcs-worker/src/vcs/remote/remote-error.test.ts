import { describe, expect, it } from 'vitest';
import { VcsError } from '../vcs-error.ts';
import { RemoteRefusedError } from './parse-remote.ts';
import { failureInText, failureOfStatus, RemoteError, remoteFailureOf, withoutLogin } from './remote-error.ts';

const remote = { scheme: 'http', url: 'http://host.example/x' } as const;
const overSsh = { scheme: 'ssh', url: 'ssh://git@host.example/x' } as const;

describe('failureOfStatus', () => {
  it.each([
    [401, 'needs login'],
    [403, 'needs login'],
    [404, 'not found'],
    [410, 'not found'],
    [400, 'not a repository'],
    [405, 'not a repository'],
    [301, 'broken remote'],
    [429, 'broken remote'],
    [500, 'broken remote'],
    [503, 'broken remote'],
  ])('status %d gives the reason %s', (status, failure) => {
    expect(failureOfStatus(status)).toBe(failure);
  });
});

/** Output of git 2.39 and Mercurial 6.3, each with the expected reason. */
const outputs = {
  git: [
    ["fatal: repository 'http://host.example/x/' not found", 'not found'],
    ["fatal: unable to access 'http://host.example/x/': The requested URL returned error: 410", 'not found'],
    ['fatal: remote error: access denied or repository not exported: /gone.git', 'not found'],
    ["fatal: could not read Username for 'http://host.example': terminal prompts disabled", 'needs login'],
    ["fatal: Authentication failed for 'http://host.example/x/'", 'needs login'],
    ["fatal: unable to access 'http://host.example/x/': The requested URL returned error: 403", 'needs login'],
    ["fatal: unable to access 'http://host.example/x/': server certificate verification failed.", 'unreachable'],
    ["fatal: unable to access 'http://host.example/x/': gnutls_handshake() failed: TLS packet", 'unreachable'],
    ["fatal: unable to access 'http://host.example/x/': The requested URL returned error: 400", 'not a repository'],
    ['fatal: http://host.example/x/info/refs not valid: is this a git repository?', 'not a repository'],
    ['fatal: unable to update url base from redirection:', 'not a repository'],
    [
      `fatal: unable to access 'http://host.example/x/': Protocol "ftp" not supported or disabled in libcurl`,
      'address refused',
    ],
    ["fatal: transport 'file' not allowed", 'address refused'],
    ["fatal: unable to access 'http://host.example/x/': The requested URL returned error: 500", 'broken remote'],
    ['fatal: protocol error: bad pack header', 'broken remote'],
    ['fatal: early EOF\nfatal: fetch-pack: invalid index-pack output', 'broken remote'],
    ['fatal: Out of memory, malloc failed (tried to allocate 100000000001 bytes)', 'too large'],
    ['error: index-pack died of signal 25', 'too large'],
    ["fatal: unable to access 'http://host.example/x/': Operation timed out", 'timed out'],
    ['anything else', 'broken remote'],
    ['', 'broken remote'],
  ],
  hg: [
    ['abort: HTTP Error 404: Not Found', 'not found'],
    ['abort: authorization failed', 'needs login'],
    ['abort: http authorization required for http://host.example/x', 'needs login'],
    ['abort: HTTP Error 403: Forbidden', 'needs login'],
    [
      "abort: 'http://host.example/x' does not appear to be an hg repository:\n---%<--- (text/html)\n<p>\n---%<---",
      'not a repository',
    ],
    ['abort: error: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed', 'unreachable'],
    ['abort: error: only the egress guard is reachable', 'address refused'],
    ["abort: HTTP Error 302: Found - Redirection to url 'file:///etc/passwd' is not allowed", 'address refused'],
    ['abort: HTTP Error 502: Bad Gateway', 'broken remote'],
    ['abort: stream ended unexpectedly (got 0 bytes, expected 4)', 'broken remote'],
    [
      'transaction abort!\nrollback completed\nabort: integrity check failed on 00changelog:aaaaaaaaaaaa',
      'broken remote',
    ],
    ['abort: error: timed out', 'timed out'],
    ['abort: out of memory', 'too large'],
  ],
  ssh: [
    ['remote: Permission denied (publickey).\nabort: no suitable response from remote hg', 'needs login'],
    ['git@host.example: Permission denied (publickey,password).\nfatal: Could not read from remote.', 'needs login'],
    ['Host key verification failed.\nfatal: Could not read from remote repository.', 'unreachable'],
    ['kex_exchange_identification: Connection closed by remote host', 'unreachable'],
    ['ERROR: Repository not found.\nfatal: Could not read from remote repository.', 'not found'],
    ['remote: abort: repository /x not found\nabort: no suitable response from remote hg', 'not found'],
    ["fatal: '/x' does not appear to be a git repository", 'not a repository'],
    ['remote: abort: there is no Mercurial repository here (.hg not found)', 'not a repository'],
    ['remote: sh: 1: hg: not found\nabort: no suitable response from remote hg', 'broken remote'],
  ],
} as const;

describe('failureInText', () => {
  it.each([...outputs.git, ...outputs.hg])('%j gives the reason %s', (text, failure) => {
    expect(failureInText(text, remote)).toBe(failure);
  });

  it.each(outputs.ssh)('over ssh, %j gives the reason %s', (text, failure) => {
    expect(failureInText(text, overSsh)).toBe(failure);
  });

  it('ignores text quoted from the remote, and words in its URL', () => {
    const quoted = 'remote: Repository not found\nfatal: the remote end hung up unexpectedly';
    expect(failureInText(quoted, remote)).toBe('broken remote');
    expect(failureInText('abort: remote error:\nabort: HTTP Error 404: Not Found', remote)).toBe('broken remote');
    const named = { ...remote, url: 'http://host.example/SSL-certificate' };
    expect(failureInText(`fatal: unable to access '${named.url}/': odd`, named)).toBe('broken remote');
  });

  it.each([
    [overSsh, 'remote: abort: No space left on device\nabort: no suitable response from remote hg'],
    [overSsh, 'remote: waiting for lock on repository /x held by process 1\nabort: stream ended unexpectedly'],
    [remote, 'fatal: remote error: upload-pack: Disk quota exceeded'],
    [remote, 'remote: fatal: cannot create directory: Read-only file system\nfatal: protocol error'],
  ])('D10 a remote that says that its disk is full is a broken remote: %j %j', (over, text) => {
    expect(failureInText(text, over)).toBe('broken remote');
  });

  it.each([
    'fatal: write error: No space left on device',
    'abort: No space left on device',
    'error: unable to create temporary file: Read-only file system\nfatal: index-pack failed',
    'waiting for lock on repository /x held by process 1\nabort: repository /x: timed out waiting for lock held by 1',
    "error: cannot lock ref 'refs/heads/x': Unable to create '/x/refs/heads/x.lock': File exists.",
  ])('returns null when the worker’s own disk or repository is the cause: %j', (text) => {
    expect(failureInText(text, remote)).toBeNull();
  });
});

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

const withPassword = {
  scheme: 'https',
  url: 'https://host.example/r',
  username: 'ann',
  password: 's3cr@et',
} as const;

it.each([
  ['sent ann:s3cr@et', 'sent ann:*****'],
  ['https://ann:s3cr%40et@host.example', 'https://ann:*****@host.example'],
  [`Basic ${Buffer.from('ann:s3cr@et').toString('base64')}`, 'Basic *****'],
  ['s3cr@et s3cr@et', '***** *****'],
  ['3cr@et was sent', '***** was sent'],
  ['r%40et was sent', '***** was sent'],
  [`${Buffer.from('ann:s3cr@et').toString('base64').slice(5)} was sent`, '***** was sent'],
])('D10 masks the login in %j: %j', (said, shown) => {
  expect(withoutLogin(said, withPassword)).toBe(shown);
});

it('D10 masks a token that is sent as the user name', () => {
  const said = `token t0ken, Basic ${Buffer.from('t0ken:').toString('base64')}`;
  for (const password of [null, '']) {
    expect(withoutLogin(said, { ...withPassword, username: 't0ken', password })).toBe('token *****, Basic *****');
  }
});

it.each([null, ''])('masks nothing in the output of ssh when the password is %j', (password) => {
  expect(withoutLogin('ann', { ...withPassword, scheme: 'ssh', password })).toBe('ann');
});
