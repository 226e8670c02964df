import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { UnavailableError } from '@trunkline/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import { createLdap } from './ldap.ts';

const dn = 'uid=ann,dc=example,dc=com';
/** The extended response "success" to message 1, as RFC 4511 encodes it. */
const startTlsAgreed = Buffer.from('300c02010178070a010004000400', 'hex');
/** The bind response "success" to message 2, which an attacker may inject before TLS. */
const injectedBindSuccess = Buffer.from('300c02010261070a010004000400', 'hex');
const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Starts a server that does not speak LDAP; `state.received` holds all bytes that clients sent. */
async function serve(answer: (socket: Socket) => void) {
  const state = { connections: 0, received: '' };
  const server = createServer((socket) => {
    state.connections += 1;
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
    socket.on('data', (bytes) => (state.received += bytes.toString('latin1')));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const open = (startTls: boolean) => createLdap({ url: `ldap://127.0.0.1:${port}`, startTls, ca: null });
  return { state, open };
}

describe('createLdap', () => {
  it('opens no connection for an empty password or for a DN that ldapts would read as a SASL mechanism', async () => {
    const { state, open } = await serve((socket) => socket.destroy());
    expect(await open(false).bind(dn, '')).toBe(false);
    expect(await open(false).bind('EXTERNAL', 'secret')).toBe(false);
    expect(state.connections).toBe(0);
  });

  it('reports a closed connection as unavailable', async () => {
    const { open } = await serve((socket) => socket.destroy());
    await expect(open(false).bind(dn, 'secret')).rejects.toThrow(UnavailableError);
  });

  it('reports an unreachable LDAP server as unavailable', async () => {
    const ldap = createLdap({ url: 'ldap://127.0.0.1:1', startTls: false, ca: null });
    await expect(ldap.bind(dn, 'secret')).rejects.toThrow(UnavailableError);
  });

  it.each<[string, Buffer]>([
    ['ends', Buffer.alloc(0)],
    ['goes on in the clear', injectedBindSuccess],
  ])('sends no password in the clear when a connection that was to be upgraded %s', async (_, rest) => {
    const { state, open } = await serve((socket) => {
      socket.write(Buffer.concat([startTlsAgreed, rest]));
      socket.end();
    });
    await expect(open(true).bind(dn, 'secret')).rejects.toThrow(UnavailableError);
    expect(state.connections).toBe(1);
    expect(state.received).not.toContain('secret');
  });
});
