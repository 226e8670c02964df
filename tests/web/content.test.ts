import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, hg, makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, makeRepository, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import { unpack } from '../harness/unpack.ts';
import type { WebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

const files = {
  'readme.txt': 'hello\n',
  'page.html': '<script>alert(1)</script>\n',
  'picture.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>\n',
  'data.bin': 'a\0b',
  'deep/in here/ü "x".txt': 'odd\n',
  'large.txt': `${'0123456789abcdef'.repeat(64)}\n`.repeat(600),
};

describe.each(repositoryTypes)('content of %s', (type) => {
  let remote: Remote;
  let web: WebClient;
  let name: string;
  let first: string;
  let second: string;

  beforeAll(async () => {
    ({ web } = await makeVisitor());
    remote = await makeRemote[type]();
    first = await remote.commit(files, 'the first');
    second = await remote.commit(
      { 'readme.txt': 'hello again\n', new: 'x' },
      'the second\n\nSigned: <b>not a header</b>',
    );
    name = `${uniqueName('group')}/${uniqueName(type)}`;
    await admin.result('create_repo', {
      repo_name: name,
      repo_type: type,
      clone_uri: remote.url,
      enable_downloads: true,
    });
  });

  afterAll(async () => remote.close());

  it.each([
    ['readme.txt', 'text/plain; charset=utf-8', null],
    ['page.html', 'text/plain; charset=utf-8', null],
    ['picture.svg', 'image/svg+xml', null],
    ['data.bin', 'application/octet-stream', 'attachment; filename="data.bin"; filename*=UTF-8\'\'data.bin'],
    ['deep/in here/ü "x".txt', 'text/plain; charset=utf-8', null],
    ['large.txt', 'text/plain; charset=utf-8', null],
  ] as const)('raw shows %s, and nothing of it runs', async (path, contentType, disposition) => {
    const { status, headers, text } = await web.get(
      `/${name}/raw/${first}/${path.split('/').map(encodeURIComponent).join('/')}`,
    );
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      200,
      contentType,
      disposition,
    ]);
    expect(text).toBe(files[path]);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.*sandbox/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(files[path])));
  });

  it('rawfile saves a file under its name', async () => {
    const { headers, text } = await web.get(`/${name}/rawfile/tip/deep/in%20here/%C3%BC%20%22x%22.txt`);
    expect(text).toBe('odd\n');
    expect(headers.get('content-disposition')).toBe(
      'attachment; filename="_ _x_.txt"; filename*=UTF-8\'\'%C3%BC%20%22x%22.txt',
    );
  });

  it.each(['nothing', 'deep', 'deep/in here', '../readme.txt', 'readme.txt/x', '', 'a%00b'])(
    'no file %s',
    async (path) => {
      const { status } = await web.get(`/${name}/raw/tip/${encodeURI(path)}`);
      expect(status).toBe(path === 'a%00b' ? 404 : 404);
    },
  );

  it.each(['nosuch', 'f'.repeat(40), 'tip~1', '--output=x', 'HEAD^', 'all()'])(
    'answers 404 for the revision %s',
    async (revision) => {
      expect((await web.get(`/${name}/raw/${encodeURIComponent(revision)}/readme.txt`)).status).toBe(404);
    },
  );

  it.each(['changeset-diff', 'raw-changeset', 'changeset-download'])(
    '%s is the diff against the first parent',
    async (word) => {
      const { text, headers } = await web.get(`/${name}/${word}/${second}`);
      expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(text).toContain('\n-hello\n+hello again\n');
      expect(text.startsWith('diff --git ')).toBe(true);
      const saved = `attachment; filename="${second.slice(0, 12)}.diff"; filename*=UTF-8''${second.slice(0, 12)}.diff`;
      expect(headers.get('content-disposition')).toBe(word === 'changeset-download' ? saved : null);
      expect((await web.get(`/${name}/${word}/${first}...${second}`)).text).toBe(text);
      expect((await web.get(`/${name}/${word}/tip`)).text).toBe(text);
    },
  );

  it('shows the same content at the permanent address', async () => {
    const { repo_id: id } = await admin.result<{ repo_id: number }>('get_repo', { repoid: name });
    expect((await web.get(`/_${id}/raw/tip/readme.txt`)).text).toBe('hello again\n');
  });

  /** Applies the patch in a clone; returns values of the new changeset and of the remote's, which must be equal. */
  const afterPatch = {
    async hg(directory: string, work: string): Promise<string[]> {
      await hg(directory, 'clone', '-q', '-r', first, remote.directory, work);
      await hg(work, 'import', '-q', '--exact', '../patch');
      return [(await hg(work, 'log', '-r', 'tip', '-T', '{node}')).trim(), second];
    },
    async git(directory: string, work: string): Promise<string[]> {
      await git(directory, 'clone', '-q', remote.directory, work);
      await git(work, 'reset', '-q', '--hard', first);
      await git(work, 'am', '-q', '--committer-date-is-author-date', '../patch');
      const shown = ['log', '-1', '--format=%T %an <%ae> %at %B'];
      return [await git(work, ...shown, 'HEAD'), await git(work, ...shown, second)];
    },
  };

  it('recreates the same changeset from the patch', async () => {
    const { text } = await web.get(`/${name}/changeset-patch/${second}`);
    const directory = await mkdtemp(join(tmpdir(), 'trunkline-patch-'));
    try {
      await writeFile(join(directory, 'patch'), text);
      const [made, original] = await afterPatch[type](directory, join(directory, 'work'));
      expect(made).toBe(original);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  it.each(['zip', 'tar', 'tar.gz', 'tar.bz2'] as const)(
    'the archive as %s holds the tree, and is the same each time',
    async (kind) => {
      const { status, headers, bytes } = await web.get(`/${name}/archive/tip.${kind}`);
      expect(status).toBe(200);
      const short = second.slice(0, 12);
      const fileName = `${name.replaceAll('/', '_')}-${short}.${kind}`;
      expect(headers.get('content-disposition')).toContain(`filename*=UTF-8''${encodeURIComponent(fileName)}`);
      const unpacked = await unpack(bytes, kind);
      const top = `${name.split('/').at(-1)}-${short}`;
      const content = (path: string) => unpacked.files.get(`${top}/${path}`);
      expect(content('readme.txt')).toMatchObject({ type: 'file', content: Buffer.from('hello again\n') });
      expect(content('deep/in here/ü "x".txt')).toMatchObject({ content: Buffer.from('odd\n') });
      expect([...unpacked.files.keys()].filter((path) => !path.startsWith(`${top}/`))).toEqual([]);
      expect((await web.get(`/${name}/archive/${second}.${kind}`)).bytes.equals(bytes)).toBe(true);
    },
  );

  it.each(['tip.rar', 'tip', '.zip', 'nosuch.zip'])('answers 404 for the archive %s', async (file) => {
    expect((await web.get(`/${name}/archive/${file}`)).status).toBe(file === '.zip' ? 200 : 404);
  });
});

describe.each(repositoryTypes)('an empty repository of %s', (type) => {
  it('has no content, and no archive when downloads are off', async () => {
    const { web } = await makeVisitor();
    const name = await makeRepository(type);
    for (const path of ['raw/tip/x', 'changeset-diff/tip', 'changeset-patch/tip', 'archive/tip.zip']) {
      const { status, text } = await web.get(`/${name}/${path}`);
      expect([status, path, text.includes('Empty repository')]).toEqual([404, path, true]);
    }
  });
});
