import { describe, expect, it } from 'vitest';
import { admin, makeUser, type TestUser } from '../harness/shared-cluster.ts';

async function rangesOf({ username }: TestUser): Promise<string[]> {
  const { user_ips } = await admin.result<{ user_ips: { ip_addr: string }[] }>('get_ip', { userid: username });
  return user_ips.map(({ ip_addr }) => ip_addr);
}

const add = (userid: unknown, ip: unknown) => admin.result('add_user_ip', { userid, ip });
const remove = (userid: unknown, ip: unknown) => admin.result('remove_user_ip', { userid, ip });

describe('add_user_ip and remove_user_ip', () => {
  it('B12 a network limits the user’s calls at once, and without any network the user may call from anywhere', async () => {
    const ann = await makeUser();
    await ann.client.result('get_user');
    expect(await add(ann.username, '10.1.2.3/8')).toEqual({
      success: true,
      msg: `added ip \`10.0.0.0/8\` to user \`${ann.username}\``,
    });
    expect(await ann.client.error('get_user')).toBe('request from IP:127.0.0.1 not allowed');
    await add(ann.id, '127.0.0.1');
    expect(await ann.client.result('get_user')).toMatchObject({ ip_addresses: ['10.0.0.0/8', '127.0.0.1/32'] });
    expect(await remove(ann.id, '127.0.0.1')).toEqual({
      success: true,
      msg: `removed ip \`127.0.0.1/32\` from user \`${ann.username}\``,
    });
    expect(await ann.client.error('get_user')).toBe('request from IP:127.0.0.1 not allowed');
    await remove(ann.id, '10.255.255.255/8');
    await ann.client.result('get_user');
  });

  it('B12 networks are stored in one form, and equal ones only once', async () => {
    const ann = await makeUser();
    await add(ann.id, '2001:DB8::7/64');
    for (const ip of ['2001:db8::/64', '2001:db8:0:0:ffff::/64']) {
      expect(await add(ann.id, ip)).toEqual({
        success: false,
        msg: `user \`${ann.username}\` already has ip \`2001:db8::/64\``,
      });
    }
    await add(ann.id, '::1');
    expect(await rangesOf(ann)).toEqual(['2001:db8::/64', '::1/128']);
    expect(await remove(ann.id, '0:0::1/128')).toMatchObject({ success: true });
    expect(await remove(ann.id, '::1')).toEqual({
      success: false,
      msg: `user \`${ann.username}\` has no ip \`::1/128\``,
    });
  });

  it.each(['010.0.0.1', '::ffff:10.0.0.1', 'fe80::1%eth0', '10.0.0.0/33', '10.0.0.0/255.0.0.0', 'host', ''])(
    'B12 %j is refused',
    async (ip) => {
      const ann = await makeUser();
      for (const method of ['add_user_ip', 'remove_user_ip']) {
        expect(await admin.error(method, { userid: ann.id, ip })).toBe(
          'Invalid value for `ip`: must be an address or a network',
        );
      }
      expect(await rangesOf(ann)).toEqual([]);
    },
  );

  it('refuses an unknown and a missing user', async () => {
    for (const method of ['add_user_ip', 'remove_user_ip']) {
      expect(await admin.error(method, { userid: 'ghost', ip: '::1' })).toBe('user `ghost` does not exist');
      expect(await admin.error(method, { userid: null, ip: '::1' })).toBe('user `None` does not exist');
      expect(await admin.error(method, { ip: '::1' })).toBe('Missing non optional `userid` arg in JSON DATA');
    }
  });

  it('B12 are refused to all but administrators, even for the own user', async () => {
    const ann = await makeUser();
    for (const method of ['add_user_ip', 'remove_user_ip']) {
      expect(await ann.client.error(method, { userid: ann.id, ip: '127.0.0.1' })).toBe(
        'Access was denied to this resource.',
      );
    }
    expect(await rangesOf(ann)).toEqual([]);
  });
});
