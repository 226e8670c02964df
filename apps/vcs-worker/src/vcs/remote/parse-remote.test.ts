import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRemote, RemoteRefusedError } from './parse-remote.ts';

const both = ['hg', 'git'] as const;

const badCharacter = 'holds a character that is not allowed';
const malformed = 'is malformed';
const badHost = 'has a host that is not allowed';
const badStart = /^must start with http:\/\/ or /u;

const refused: readonly (readonly [uri: string, reason: string | RegExp])[] = [
  ['', badStart],
  ['ext::sh -c id', badCharacter],
  ['ext::sh', badStart],
  ['EXT::sh', badStart],
  ['fd::17', badStart],
  ['file:///etc/passwd', badStart],
  ['file://localhost/srv/x', badStart],
  ['FILE:///srv/x', badStart],
  ['/srv/repositories/secret', badStart],
  ['../secret', badStart],
  ['secret', badStart],
  ['C:/secret', badStart],
  ['C:\\secret', badCharacter],
  ['bundle:/srv/secret.hg', badStart],
  ['bundle:../secret+bundle.hg', badStart],
  ['union:/srv/a+/srv/b', badStart],
  ['static-http://host.example/x', badStart],
  ['svn+http://host.example/x', badStart],
  ['svn+ssh://host.example/x', badStart],
  ['git+ssh://host.example/x', badStart],
  ['git+https://host.example/x', badStart],
  ['ftp://host.example/x', badStart],
  ['javascript:alert(1)', badStart],
  ['http:////host.example/x', badStart],
  ['http:///host.example/x', badStart],
  ['http:host.example/x', badStart],
  ['http::https://host.example/x', badStart],
  ['https:\\\\host.example\\x', badCharacter],
  ['http://', badStart],
  ['http://@/x', malformed],
  ['http://:80/x', malformed],
  [' http://host.example/x', badCharacter],
  ['http://host.example/a b', badCharacter],
  ['http://host.example/x\n', badCharacter],
  ['http://host.example/x\r\nHost: victim', badCharacter],
  ['http://host.example/x\u0000', badCharacter],
  ['http://host.example/\u202egnp', badCharacter],
  ['http://host.example/\u00a0', badCharacter],
  ['http://host.example/`id`', badCharacter],
  ['http://host.example/x|id', badCharacter],
  ['git://host.example:9418/%0ahost=victim', badCharacter],
  ['git://host.example/x\nhost=victim', badCharacter],
  ['git://host.example/x%00host=victim', badCharacter],
  ['http://host.example/%7f', badCharacter],
  ['http://us%0Aer:pw@host.example/x', badCharacter],
  ['http://host.example/%zz', malformed],
  ['http://host.example/100%', malformed],
  ['http://host.example/x#default', 'must not hold a query or a fragment'],
  ['http://host.example/x?token=1', 'must not hold a query or a fragment'],
  ['http://-oProxyCommand=id/x', badHost],
  ['http://%2doProxyCommand/x', badHost],
  ['http://ho$t/x', badHost],
  ['http://host,example/x', badHost],
  [`http://${'a.'.repeat(130)}example/x`, badHost],
  ['http://host.example:99999/x', malformed],
  ['http://host.example:0/x', 'has a port that is not allowed'],
  ['http://host.example:8x/x', malformed],
  ['http://1.2.3.4.5/x', malformed],
  ['http://[::1/x', malformed],
  ['http://[fe80::1%25eth0]/x', malformed],
  ['http://-user:pw@host.example/x', 'has a user name that is not allowed'],
  ['http://%2duser@host.example/x', 'has a user name that is not allowed'],
  ['http://a%3ab:pw@host.example/x', 'has a user name that is not allowed'],
  ['http://%ff@host.example/x', malformed],
  ['http://:pw@host.example/x', 'has a password without a user name'],
  [`http://host.example/${'x'.repeat(2048)}`, 'is too long'],
];

const refusedForGit: readonly (readonly [uri: string, reason: string])[] = [
  ['git://host.example', 'names no repository'],
  ['ssh://host.example/', 'names no repository'],
  ['git://user:pw@host.example/x', 'must not hold credentials with scheme git'],
  ['git://user@host.example/x', 'must not hold credentials with scheme git'],
  ['git://host.example:0/x', 'has a port that is not allowed'],
  ['git://ho%2fst/x', badHost],
  ['git://ho%00st/x', badCharacter],
  ['ssh://-oProxyCommand=id/x', badHost],
  ['ssh://%2doProxyCommand=id/x', badHost],
  ['ssh://git@-oProxyCommand=id/x', badHost],
  ['ssh://-oProxyCommand=id@host.example/x', 'has a user name that is not allowed'],
  ['ssh://a;id@host.example/x', 'has a user name that is not allowed'],
  ['ssh://git:pw@host.example/x', 'must not hold a password with scheme ssh'],
  ['ssh://git@host.example/-x', 'has a path that is not allowed'],
  ['ssh://git@host.example/%2dx', 'has a path that is not allowed'],
  ['ssh://git@host.example/%2Dx', 'has a path that is not allowed'],
  ['-oProxyCommand=id@host.example:x', 'has a user name that is not allowed'],
  ['git@-oProxyCommand=id:x', badHost],
  ['git@host.example:-x', 'has a path that is not allowed'],
];

const accepted: readonly (readonly [uri: string, url: string, username: string | null, password: string | null])[] = [
  ['http://host.example', 'http://host.example/', null, null],
  ['HTTPS://Host.Example:443/A/b.git', 'https://host.example/A/b.git', null, null],
  ['https://host.example:8443/a//b/', 'https://host.example:8443/a//b/', null, null],
  ['https://bob:s3cr%40t@host.example/x', 'https://host.example/x', 'bob', 's3cr@t'],
  ['https://token@host.example/x', 'https://host.example/x', 'token', null],
  ['https://bob:@host.example/x', 'https://host.example/x', 'bob', null],
  ['https://a@b:p@ss@host.example/x', 'https://host.example/x', 'a@b', 'p@ss'],
  ['https://münchen.example/ü', 'https://xn--mnchen-3ya.example/%C3%BC', null, null],
  ['https://host.example/a%20b/c%2Fd', 'https://host.example/a%20b/c%2Fd', null, null],
  ['https://host.example/../../x', 'https://host.example/x', null, null],
  // The egress guard decides on addresses; the parser only normalises their spellings.
  ['http://127.1/x', 'http://127.0.0.1/x', null, null],
  ['http://0177.0.0.1/x', 'http://127.0.0.1/x', null, null],
  ['http://0x7f.1/x', 'http://127.0.0.1/x', null, null],
  ['http://2130706433/x', 'http://127.0.0.1/x', null, null],
  ['http://[::ffff:127.0.0.1]/x', 'http://[::ffff:7f00:1]/x', null, null],
  ['http://[64:ff9b::7f00:1]/x', 'http://[64:ff9b::7f00:1]/x', null, null],
  ['http://localhost./x', 'http://localhost./x', null, null],
];

const acceptedForGit: readonly (readonly [uri: string, url: string, username: string | null])[] = [
  ['git://Host.Example:9418/x.git', 'git://host.example:9418/x.git', null],
  ['git://127.1/x.git', 'git://127.0.0.1/x.git', null],
  ['git://münchen.example/x', 'git://xn--mnchen-3ya.example/x', null],
  ['ssh://git@Host.Example:2222/a/b', 'ssh://host.example:2222/a/b', 'git'],
  ['ssh://[2001:DB8::1]/a', 'ssh://[2001:db8::1]/a', null],
  ['ssh://host.example/~bob/a', 'ssh://host.example/~bob/a', null],
  ['git@host.example:group/x.git', 'ssh://host.example/group/x.git', 'git'],
  ['git@host.example:/srv/50%/x', 'ssh://host.example/srv/50%25/x', 'git'],
  ['git@[::1]:x', 'ssh://[::1]/x', 'git'],
];

function refusal(type: 'hg' | 'git', uri: string, sshEnabled = true): string {
  try {
    parseRemote(type, uri, { sshEnabled });
  } catch (error) {
    if (error instanceof RemoteRefusedError) return error.message;
    throw error;
  }
  return 'accepted';
}

describe.each(both)('parseRemote for %s', (type) => {
  it.each(refused)('D6 refuses %j', (uri, reason) => {
    expect(refusal(type, uri)).toMatch(reason);
  });

  it.each(accepted)('D6 reads %j', (uri, url, username, password) => {
    const scheme = url.startsWith('https') ? 'https' : 'http';
    expect(parseRemote(type, uri, { sshEnabled: false })).toEqual({ scheme, url, username, password });
  });

  it('D6 refuses ssh unless it is enabled', () => {
    expect(refusal(type, 'ssh://host.example/x', false)).toBe('scheme ssh is not enabled');
    expect(refusal(type, 'ssh://host.example/x', true)).toBe('accepted');
  });
});

describe('parseRemote for one type', () => {
  it.each(refusedForGit)('D6 refuses %j for git', (uri, reason) => {
    expect(refusal('git', uri)).toBe(reason);
  });

  it.each(acceptedForGit)('D6 reads %j for git', (uri, url, username) => {
    const scheme = url.startsWith('git') ? 'git' : 'ssh';
    expect(parseRemote('git', uri, { sshEnabled: true })).toEqual({ scheme, url, username, password: null });
  });

  it('D6 refuses the scp-like form unless ssh is enabled, and for hg, which reads it as a path', () => {
    expect(refusal('git', 'git@host.example:x', false)).toBe('scheme ssh is not enabled');
    expect(refusal('hg', 'git@host.example:x')).toBe('must start with http:// or https:// or ssh:// and a host');
  });

  it.each(['$TRUNKLINE_SSH_KEY', '%24%7BHOME%7D', 'a$HOME', '~root', '%7Eroot'])(
    'D10 refuses the user name %s for hg, which would expand it on the worker and send the result',
    (username) => {
      const uri = `https://${username}:pw@host.example/x`;
      expect(refusal('hg', uri)).toBe('has a user name that is not allowed');
      expect(parseRemote('git', uri, { sshEnabled: false }).username).toBe(decodeURIComponent(username));
    },
  );

  it('D6 names only enabled schemes in a refusal', () => {
    expect(refusal('hg', 'git://host.example/x', false)).toBe('must start with http:// or https:// and a host');
    expect(refusal('git', 'x', false)).toBe('must start with http:// or https:// or git:// and a host');
  });

  it('D10 a reason never quotes the address', () => {
    for (const [uri] of [...refused, ...refusedForGit]) {
      expect(refusal('git', uri)).not.toMatch(/host\.example|pw|victim|secret|ProxyCommand/u);
    }
  });
});

describe('parseRemote of any text', () => {
  const pieces = fc.constantFrom(
    ...['http', 'https', 'ssh', 'git', 'ext', 'file', 'HTTP', '://', ':', '/', '//', '@', '.', '..', '-', '%', '%2f'],
    ...['%ff', '%00', '%40', 'host.example', '127.0.0.1', '[::1]', '[', ']', 'user', 'p:w', '80', '99999', '~', '-o'],
    ...['\\', ' ', '\n', '\0', '\ud800', '?', '#', 'é', '\u3002', 'xn--', '%2e%2e', '--upload-pack=x'],
  );
  const text = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''));
  const uri = fc.oneof(
    fc.string({ unit: 'binary' }),
    text,
    fc.tuple(fc.constantFrom('http', 'https', 'ssh', 'git'), text).map(([scheme, rest]) => `${scheme}://${rest}`),
  );

  it('D6 refuses it, or returns a plain URL that parses to the same remote again', () => {
    fc.assert(
      fc.property(fc.constantFrom('hg' as const, 'git' as const), uri, (type, sent) => {
        if (refusal(type, sent, true) !== 'accepted') return;
        const { scheme, url, username } = parseRemote(type, sent, { sshEnabled: true });
        expect(url).toMatch(/^(?:https?|ssh|git):\/\/(?![-:])[^\s@?#\\/]+(?:\/[^\s?#\\]*)?$/u);
        expect(username ?? '').not.toMatch(/^-|[:\p{Cc}]/u);
        expect(parseRemote(type, url, { sshEnabled: true })).toEqual({ scheme, url, username: null, password: null });
      }),
      { numRuns: 500 },
    );
  });
});
