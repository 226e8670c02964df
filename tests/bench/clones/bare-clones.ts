import { Agent, request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Address, System } from './clone-stage.ts';

/** A request of a client, below the address of a repository. */
export interface CloneRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const pkt = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
const gitHeaders = { 'Git-Protocol': 'version=2' };
const upload = (...lines: string[]): CloneRequest => ({
  path: '/git-upload-pack',
  headers: { ...gitHeaders, 'Content-Type': 'application/x-git-upload-pack-request' },
  body: lines.join(''),
});

export const gitRequests = {
  capabilities: (): CloneRequest => ({ path: '/info/refs?service=git-upload-pack', headers: gitHeaders }),
  references: (...prefixes: string[]): CloneRequest => {
    const args = ['peel\n', 'symrefs\n', ...prefixes.map((prefix) => `ref-prefix ${prefix}\n`)];
    return upload(pkt('command=ls-refs\n'), pkt('object-format=sha1'), '0001', ...args.map(pkt), '0000');
  },
  pack: (tip: string): CloneRequest => {
    const args = ['thin-pack', 'no-progress', 'include-tag', 'ofs-delta', `want ${tip}\n`, 'done\n'];
    return upload(pkt('command=fetch'), pkt('object-format=sha1'), '0001', ...args.map(pkt), '0000');
  },
};

const hgCommand = (cmd: string, args = ''): CloneRequest => ({
  path: `?cmd=${cmd}`,
  headers: {
    ...(args !== '' && { 'X-HgArg-1': args }),
    'X-HgProto-1': '0.1 0.2 comp=zstd,zlib,none,bzip2 partial-pull',
  },
});
/** What a client of Mercurial understands, twice encoded as in its requests. */
const bundleCaps =
  'HG20%2Cbundle2%3DHG20%250Abookmarks%250Achangegroup%253D01%252C02%250Alistkeys%250Aphases%253Dheads';
const none = '0'.repeat(40);

export const hgRequests = {
  capabilities: (): CloneRequest => hgCommand('capabilities'),
  heads: (): CloneRequest => hgCommand('batch', 'cmds=heads+%3Bknown+nodes%3D'),
  bundle: (tip: string): CloneRequest =>
    hgCommand('getbundle', `bookmarks=1&bundlecaps=${bundleCaps}&cg=1&common=${none}&heads=${tip}&phases=1`),
};

/** Returns the requests of a clone, as the tool sends them. */
export function cloneRequests(system: System, tip: string): readonly CloneRequest[] {
  return system === 'git'
    ? [gitRequests.capabilities(), gitRequests.references('refs/heads/', 'refs/tags/', 'HEAD'), gitRequests.pack(tip)]
    : [hgRequests.capabilities(), hgRequests.heads(), hgRequests.bundle(tip)];
}

function ask({ url, apiKey }: Address, { path, headers, body }: CloneRequest, agent: Agent): Promise<IncomingMessage> {
  const login =
    apiKey === null ? {} : { Authorization: `Basic ${Buffer.from(`api-key:${apiKey}`).toString('base64')}` };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      agent,
      headers: { ...login, ...headers },
    });
    sent.on('response', resolve).on('error', reject).end(body);
  });
}

async function askSuccessfully(address: Address, asked: CloneRequest, agent: Agent): Promise<IncomingMessage> {
  const response = await ask(address, asked, agent);
  if (response.statusCode === 200) return response;
  throw new Error(`${asked.path} got ${response.statusCode}: ${(await buffer(response)).toString().slice(0, 200)}`);
}

/** Sends a request, and returns its answer. */
export async function collectAnswer(address: Address, asked: CloneRequest): Promise<Buffer> {
  return buffer(await askSuccessfully(address, asked, new Agent()));
}

/** Sends a request, and returns the number of bytes of its answer. */
export async function readAnswer(address: Address, asked: CloneRequest, agent: Agent): Promise<number> {
  const response = await askSuccessfully(address, asked, agent);
  let bytes = 0;
  for await (const piece of response) bytes += (piece as Buffer).length;
  return bytes;
}

/** Makes the requests of a clone on one connection, and stores nothing; returns the bytes of the answers. */
export async function bareClone(address: Address, requests: readonly CloneRequest[]): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    let bytes = 0;
    for (const one of requests) bytes += await readAnswer(address, one, agent);
    return bytes;
  } finally {
    agent.destroy();
  }
}
