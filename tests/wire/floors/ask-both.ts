import { admin, cluster } from '../../harness/shared-cluster.ts';

/** A request to a server of git or Mercurial, below the address of a repository. */
export interface Asked {
  readonly path: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

async function read(answer: Response) {
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    cache: answer.headers.get('cache-control'),
    bytes: Buffer.from(await answer.arrayBuffer()),
  };
}

export type Answered = Awaited<ReturnType<typeof read>>;

/** Sends the same request to the floor, which asks for no login, and to a repository of the service. */
export async function askBoth(
  floor: string,
  name: string,
  { path, body, headers = {} }: Asked,
): Promise<{ expected: Answered; actual: Answered }> {
  const login = { authorization: `Basic ${Buffer.from(`api-key:${admin.apiKey}`).toString('base64')}` };
  const init = body === undefined ? {} : { method: 'POST', body: new Uint8Array(Buffer.from(body)) };
  const expected = await read(await fetch(`${floor}${path}`, { ...init, headers }));
  const own = { ...init, headers: { ...headers, ...login } };
  const actual = await read(await fetch(`${cluster.baseUrl}/${name}${path}`, own));
  return { expected, actual };
}
