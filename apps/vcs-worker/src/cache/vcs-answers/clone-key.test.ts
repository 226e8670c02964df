import { describe, expect, it } from 'vitest';
import { cloneKey } from './clone-key.ts';

const repository = {
  id: 7,
  uuid: '6b4a4d9e-4f0e-4c59-9d0e-2f8f6a1f0a11',
  name: 'group/repo',
  type: 'git',
  storageId: 'a',
  storagePath: 'b',
  generation: 3,
  isFork: false,
  tipId: null,
  tipRevision: null,
  level: 1,
} as const;
const common = { request: 'git-fetch', protocol: 2, command: 'capabilities', caps: '' } as const;
const pkt = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
const want = pkt(`want ${'1'.repeat(40)}\n`);

const keyOf = (body: string, more: object = {}, of: object = {}) =>
  cloneKey({ ...repository, ...of }, { ...common, ...more, body: Buffer.from(body, 'latin1') }).digest;

describe('of a fetch of git', () => {
  const v2 = (...head: string[]) => `${pkt('command=fetch')}${head.map(pkt).join('')}0001${want}${pkt('done\n')}0000`;
  const v0 = (words: string) => `${pkt(`want ${'1'.repeat(40)} ${words}\n`)}0000${pkt('done\n')}`;

  it('is the same whatever the client says of itself', () => {
    expect(keyOf(v2('agent=git/2.39.5'))).toBe(keyOf(v2('agent=git/2.47.0', 'session-id=x')));
    for (const protocol of [0, 1]) {
      const one = keyOf(v0('thin-pack ofs-delta agent=git/2.39.5'), { protocol });
      expect(one).toBe(keyOf(v0('thin-pack ofs-delta agent=git/2.47.0 session-id=x'), { protocol }));
      expect(one).not.toBe(keyOf(v0('thin-pack agent=git/2.39.5'), { protocol }));
    }
  });

  it('differs with everything else', () => {
    const other = pkt(`want ${'2'.repeat(40)}\n`);
    const keys = [
      keyOf(v2()),
      keyOf(v2().replace(want, other)),
      keyOf(v2().replace(want, `${want}${other}`)),
      keyOf(v2('object-format=sha1')),
      keyOf(v2().replace('0001', '0000')),
      keyOf(`${v2()}0000`),
      keyOf(v2(), { protocol: 1 }),
      keyOf(v2(), { request: 'git-refs' }),
      keyOf(v2(), {}, { generation: 4 }),
      keyOf(v2(), {}, { uuid: '6b4a4d9e-4f0e-4c59-9d0e-2f8f6a1f0a12' }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('keeps lines of an argument that look like those of a client', () => {
    const argument = (text: string) => `${pkt('command=fetch')}0001${pkt(text)}0000`;
    expect(keyOf(argument('agent=a'))).not.toBe(keyOf(argument('agent=b')));
  });

  it.each(['zzzz', '0', '0032want', `${pkt('command=fetch')}00`])(
    'takes %j, which is not of the protocol, as it is',
    (body) => {
      expect(keyOf(body)).toBe(keyOf(body));
      expect(keyOf(body)).not.toBe(keyOf(`${body}x`));
    },
  );

  it('tells a special packet from a line with the same text', () => {
    expect(keyOf(pkt('0000'))).not.toBe(keyOf('0000'));
  });
});

describe('of a command of Mercurial', () => {
  const ofCommand = (args: string, more: object = {}) =>
    keyOf(args, { request: 'hg', command: 'getbundle', caps: '0.2 comp=zstd', ...more });

  it('is the same whatever the order of its arguments', () => {
    expect(ofCommand('heads=1&common=2&cg=1')).toBe(ofCommand('cg=1&heads=1&common=2'));
  });

  it('differs with command, arguments and what the client understands', () => {
    const keys = [
      ofCommand('heads=1&common=2'),
      ofCommand('heads=2&common=1'),
      ofCommand('heads=1'),
      ofCommand('heads=1', { command: 'batch' }),
      ofCommand('heads=1', { caps: '0.2 comp=zlib' }),
      ofCommand('heads=1', { caps: '' }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('keeps the order of arguments that are the same name twice, in whatever form', () => {
    expect(ofCommand('heads=1&heads=2')).not.toBe(ofCommand('heads=2&heads=1'));
    expect(ofCommand('heads=1&%68eads=2')).not.toBe(ofCommand('%68eads=2&heads=1'));
  });
});
