import { createServer } from 'node:net';

/** Listens on `port` of 127.0.0.1 (0: any) for a moment; resolves to the port, or to the error code. */
export function probePort(port: number): Promise<number | string> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host: '127.0.0.1', port }, () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('a TCP listener has no port'));
        else resolve(address.port);
      });
    });
  });
}

export async function findFreePort(): Promise<number> {
  const port = await probePort(0);
  if (typeof port === 'string') throw new Error(`no free port on 127.0.0.1: ${port}`);
  return port;
}
