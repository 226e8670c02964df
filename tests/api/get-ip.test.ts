import { describe, expect, it } from 'vitest';
import { admin, makeUser, sql } from '../harness/shared-cluster.ts';

describe('get_ip', () => {
  it('by an administrator: returns the caller’s address and the networks of the user', async () => {
    const { id, username } = await makeUser();
    for (const network of ['10.1.2.0/24', '192.168.7.7/32', '2001:db8::/64']) {
      await sql`insert into user_ip_addresses (user_id, ip_addr) values (${id}, ${network})`;
    }
    expect(await admin.result('get_ip', { userid: username })).toEqual({
      ip_addr_server: '127.0.0.1',
      user_ips: [
        { ip_addr: '10.1.2.0/24', ip_range: ['10.1.2.0', '10.1.2.255'] },
        { ip_addr: '192.168.7.7/32', ip_range: ['192.168.7.7', '192.168.7.7'] },
        { ip_addr: '2001:db8::/64', ip_range: ['2001:db8::', '2001:db8::ffff:ffff:ffff:ffff'] },
      ],
    });
  });

  it('is found under its earlier name', async () => {
    expect(await admin.result('show_ip', { userid: 'admin' })).toEqual({ ip_addr_server: '127.0.0.1', user_ips: [] });
  });

  it('reports a missing argument', async () => {
    expect(await admin.error('get_ip')).toBe('Missing non optional `userid` arg in JSON DATA');
  });

  it('refuses an unknown user', async () => {
    expect(await admin.error('get_ip', { userid: 'ghost' })).toBe('user `ghost` does not exist');
    expect(await admin.error('get_ip', { userid: 99_999_999 })).toBe('user `99999999` does not exist');
    expect(await admin.error('get_ip', { userid: null })).toBe('user `None` does not exist');
  });

  it('is refused without permission', async () => {
    const { client, username } = await makeUser();
    expect(await client.error('get_ip', { userid: username })).toBe('Access was denied to this resource.');
  });
});
