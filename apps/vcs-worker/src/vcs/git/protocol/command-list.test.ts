import { describe, expect, it } from 'vitest';
import { collectBytes } from '../../../collect-bytes.ts';
import { readCommandList, requireAcceptable } from './command-list.ts';
import { PktReader, flushPacket, pktLine } from './pkt-line.ts';

const zeros = '0'.repeat(40);
const id = '1'.repeat(40);

const listOf = (...lines: (string | Buffer)[]) => {
  const source = async function* () {
    yield Buffer.concat([...lines.map(pktLine), flushPacket]);
  };
  return readCommandList(new PktReader(source(), 1e9));
};

const judged = async (...names: (string | Buffer)[]) => {
  const lines = names.map((name) => Buffer.concat([Buffer.from(`${zeros} ${id} `), Buffer.from(name)]));
  try {
    requireAcceptable(await listOf(...lines));
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
};

describe('readCommandList', () => {
  it('reads changes and capabilities', async () => {
    const sent = `${zeros} ${id} refs/heads/a\0 report-status side-band-64k agent=git/2`;
    const { changes, capabilities } = await listOf(`shallow ${id}`, sent, `${id} ${zeros} refs/tags/b\n`);
    expect(changes).toEqual([
      { name: 'refs/heads/a', from: null, to: id },
      { name: 'refs/tags/b', from: id, to: null },
    ]);
    expect([...capabilities]).toEqual(['report-status', 'side-band-64k', 'agent=git/2']);
  });

  it('is empty when git tests its login', async () => {
    expect((await listOf()).changes).toEqual([]);
  });

  it.each([`${zeros} ${id}`, `${zeros} ${id} `, `${id} refs/heads/a`, 'x', `${zeros.slice(1)}g ${id} refs/heads/a`])(
    'D5 refuses what is no command (%#)',
    async (line) => {
      await expect(listOf(line)).rejects.toThrow('the request is malformed');
    },
  );

  it('D8 bounds the number of changes and of shallow commits', async () => {
    const many = Array.from({ length: 50_001 }, (_, at) => `${zeros} ${id} refs/heads/${at}`);
    const list = await listOf(...many);
    expect(list).toMatchObject({ isWhole: false });
    expect(() => requireAcceptable(list)).toThrow('a push may change 50000 references at most');
    await expect(listOf(...Array.from({ length: 1_001 }, () => `shallow ${id}`))).rejects.toThrow('malformed');
  });

  it('D8 counts the options of a push, and bounds their number and size', async () => {
    const sent = `${zeros} ${id} refs/heads/a\0 report-status push-options`;
    const optionsOf = (...options: string[]) => {
      const pieces = [pktLine(sent), flushPacket, ...options.map(pktLine), flushPacket, Buffer.from('PACK')];
      const source = async function* () {
        yield Buffer.concat(pieces);
      };
      const reader = new PktReader(source(), 1e9);
      return { reader, list: readCommandList(reader) };
    };
    const { reader, list } = optionsOf('ci.skip', 'x'.repeat(4_096));
    expect(await list).toMatchObject({ options: { count: 2, bytes: 4_103 }, changes: [{ name: 'refs/heads/a' }] });
    expect((await collectBytes(reader.rest())).toString()).toBe('PACK');
    expect(await optionsOf().list).toMatchObject({ options: { count: 0, bytes: 0 } });
    const most = Array.from({ length: 100 }, () => 'x'.repeat(655));
    requireAcceptable(await optionsOf(...most).list);
    for (const more of [
      [...most, 'x'],
      ['x'.repeat(65_500), 'x'.repeat(100)],
    ]) {
      const many = await optionsOf(...more).list;
      expect(() => requireAcceptable(many)).toThrow('a push may have 100 options of 65536 bytes in all at most');
    }
  });

  it('refuses signed pushes', async () => {
    await expect(listOf('push-cert\0report-status')).rejects.toThrow('signed pushes are not accepted');
  });
});

describe('requireAcceptable', () => {
  it.each(['refs/heads/a', 'refs/heads/a/b.c', 'refs/heads/-x', 'refs/heads/ä', 'refs/notes/commits', 'refs/for/main'])(
    'accepts %s',
    async (name) => {
      expect(await judged(name)).toBeNull();
    },
  );

  it.each(['HEAD', 'refs/heads', 'refs/stash', 'heads/a', '/refs/heads/a', '../refs/heads/a'])(
    'D5 refuses %j, which is outside of namespaces',
    async (name) => {
      expect(await judged('refs/heads/ok', name)).not.toBeNull();
    },
  );

  it.each(['replace', 'trunkline', 'bisect', 'rewritten', 'worktree'])('D5 refuses names below %s', async (one) => {
    expect(await judged(`refs/${one}/x`)).toBe(`refs/${one}/x: names below refs/${one}/ are reserved`);
  });

  it.each(
    ['a..b', 'a/.b', 'a.lock', 'a.lock/b', 'a@{1}', 'a b', 'a~1', 'a^', 'a:b', 'a?', 'a*', 'a[', 'a\\b', 'a//b', 'a/']
      .concat(['a.', 'a\u007f', 'a\u0001', '.'])
      .map((name) => `refs/heads/${name}`),
  )('D5 refuses %j as git does', async (name) => {
    expect(await judged(name)).toContain('git does not allow this name');
  });

  it('D5 refuses names that are not UTF-8, too long, or there twice', async () => {
    expect(await judged(Buffer.from('refs/heads/\xff', 'latin1'))).toContain('git does not allow this name');
    expect(await judged(`refs/heads/${'a'.repeat(251)}`)).toContain('the name is too long');
    expect(await judged(`refs/heads/${'a/'.repeat(500)}b`)).toContain('the name is too long');
    expect(await judged('refs/heads/a', 'refs/heads/a')).toContain('the push changes this reference twice');
  });

  it('refuses what was not offered', async () => {
    const ask = async (capability: string) =>
      requireAcceptable(await listOf(`${zeros} ${id} refs/heads/a\0${capability}`));
    await expect(ask('object-format=sha256')).rejects.toThrow('ids of another kind');
    await expect(ask('object-format=sha1')).resolves.toBeUndefined();
  });
});
