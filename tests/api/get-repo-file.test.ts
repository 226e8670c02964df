import { createHash } from 'node:crypto';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, hg, makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, makeRepository, makeUser, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';

const source = 'def f():\n    return "ü"\n';
const files = {
  'src/main.py': source,
  notes: 'one\ntwo',
  'data.bin': 'a\0b',
  'large.txt': `${'x'.repeat(99)}\n`.repeat(11_000),
  'huge.txt': 'y'.repeat(17 * 1024 * 1024),
  empty: '',
  '--upload-pack=x': 'option\n',
  ':(glob)*': 'pathspec\n',
  'set:all()': 'fileset\n',
};

const md5 = (text: string | Buffer) => createHash('md5').update(text).digest('hex');

describe.each(repositoryTypes)('get_repo_file %s', (type) => {
  let remote: Remote;
  let repoid: string;
  let first: string;

  beforeAll(async () => {
    remote = await makeRemote[type]();
    await symlink('src/main.py', join(remote.directory, 'link'));
    await writeFile(join(remote.directory, 'latin.txt'), Buffer.from('caf\xe9\n', 'latin1'));
    await writeFile(Buffer.from(join(remote.directory, 'bad-\xff.txt'), 'latin1'), 'bad\n');
    await (type === 'git' ? git(remote.directory, 'add', '-A') : hg(remote.directory, 'add', '-q'));
    first = await remote.commit(files, 'first');
    await remote.commit({ 'src/main.py': 'x\n' }, 'second');
    repoid = uniqueName(type);
    await admin.result('create_repo', { repo_name: repoid, repo_type: type, clone_uri: remote.url });
  });
  afterAll(() => remote.close());

  const file = (file_path: string, args: Record<string, unknown> = {}) =>
    admin.result('get_repo_file', { repoid, commit_id: first, file_path, ...args });
  const refused = (args: Record<string, unknown>) =>
    admin.error('get_repo_file', { repoid, commit_id: first, file_path: 'notes', ...args });

  const basic = {
    name: 'src/main.py',
    type: 'file',
    binary: false,
    extension: '.py',
    lines: 2,
    md5: md5(source),
    mimetype: 'text/plain',
    size: Buffer.byteLength(source),
  };

  it('returns what is known of a file, in three details', async () => {
    expect(await file('src/main.py', { details: 'minimal' })).toEqual({ name: 'src/main.py', type: 'file' });
    expect(await file('src/main.py')).toEqual(basic);
    for (const cache of [true, false, 'false'])
      expect(await file('/src/main.py', { details: 'full', cache })).toEqual({ ...basic, content: source });
    expect(await file('src/main.py', { commit_id: 'tip', details: 'full' })).toMatchObject({ content: 'x\n' });
  });

  it('counts the lines of a file that ends without a line feed, and of an empty one', async () => {
    expect(await file('notes', { details: 'full' })).toMatchObject({
      lines: 2,
      extension: '',
      md5: md5('one\ntwo'),
      content: 'one\ntwo',
    });
    expect(await file('empty', { details: 'full' })).toMatchObject({ lines: 0, size: 0, md5: md5(''), content: '' });
  });

  it('returns no content of a binary file', async () => {
    expect(await file('data.bin', { details: 'full' })).toMatchObject({
      binary: true,
      lines: null,
      md5: md5('a\0b'),
      mimetype: 'application/octet-stream',
      content: null,
      content_missing: 'binary',
    });
  });

  it('returns no content above the limits, and no digest far above', async () => {
    const missing = { content: null, content_missing: 'too large' };
    expect(await file('notes', { details: 'full', max_file_bytes: 6 })).toMatchObject(missing);
    expect(await file('notes', { details: 'full', max_file_bytes: '7' })).toMatchObject({ content: 'one\ntwo' });
    const large = { lines: 11_000, md5: md5(files['large.txt']), size: 1_100_000 };
    expect(await file('large.txt', { details: 'full', max_file_bytes: 2_000_000 })).toMatchObject({
      ...large,
      ...missing,
    });
    expect(await file('huge.txt', { details: 'full' })).toMatchObject({ lines: null, md5: null, ...missing });
  });

  it('decodes texts as pages do, and takes names of any bytes', async () => {
    expect(await file('latin.txt', { details: 'full' })).toMatchObject({
      content: 'café\n',
      md5: md5(Buffer.from('caf\xe9\n', 'latin1')),
    });
    expect(await file('bad-\ufffdFF.txt', { details: 'full' })).toMatchObject({ content: 'bad\n' });
    expect(await file('link', { details: 'full' })).toMatchObject({ type: 'file', content: 'src/main.py' });
  });

  it.each(['--upload-pack=x', ':(glob)*', 'set:all()'])('D1 takes %s as the name of a file alone', async (name) => {
    expect(await file(name, { details: 'full' })).toMatchObject({ name, content: Reflect.get(files, name) });
  });

  it('says that there is no such file, and why arguments are refused', async () => {
    for (const file_path of ['none', 'src', '', '../notes', 'notes/x', '--help', 're:.*', ':/'])
      expect(await refused({ file_path })).toBe(
        `There is no file in repo: \`${repoid}\` at path \`${file_path}\` for commit: \`${first}\``,
      );
    expect(await refused({ commit_id: 'nosuch' })).toContain('for commit: `nosuch`');
    expect(await refused({ details: 'all' })).toBe('details must be one of minimal,basic,full');
  });

  it('is hidden from users without read', async () => {
    const repo_name = uniqueName('private');
    await admin.result('create_repo', { repo_name, repo_type: type, private: true });
    const { client } = await makeUser();
    expect(await client.error('get_repo_file', { repoid: repo_name, commit_id: 'tip', file_path: 'x' })).toBe(
      `repository \`${repo_name}\` does not exist`,
    );
    expect(await client.result('get_repo_file', { repoid, commit_id: first, file_path: 'notes' })).toMatchObject({
      name: 'notes',
    });
  });

  it('returns null for an empty repository', async () => {
    const empty = await makeRepository(type);
    expect(await admin.result('get_repo_file', { repoid: empty, commit_id: 'tip', file_path: 'x' })).toBeNull();
  });
});
