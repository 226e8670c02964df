import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

interface WarningLogger {
  warn(fields: { readonly missing: string; readonly port: number }, text: string): void;
}

/** What a process waits for before it can serve: a word for `/readyz`, and a sentence for the log. */
interface Wanted {
  readonly name: string;
  readonly text: string;
}

const json = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };

async function listen(host: string, port: number, missing: () => readonly string[]): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url === '/healthz') response.writeHead(200, { 'Content-Type': 'text/plain' }).end('ok');
    else if (request.url === '/readyz') response.writeHead(503, json).end(JSON.stringify({ missing: missing() }));
    // As without a process: a balancer tries the next one.
    else request.socket.destroy();
  });
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

/**
 * Runs `act`, which says what it waits for, if anything: the log has each such sentence once, and until `act` ends
 * `/healthz` and `/readyz` are served at the address at which the process will answer.
 */
export async function answerWhileWaiting<T>(
  { host, port, logger }: { readonly host: string; readonly port: number; readonly logger: WarningLogger },
  act: (onWait: (wanted: Wanted) => Promise<void>) => Promise<T>,
): Promise<T> {
  let wanted: Wanted | undefined;
  let server: Server | undefined;
  try {
    return await act(async (now) => {
      const isNew = now.text !== wanted?.text;
      wanted = now;
      server ??= await listen(host, port, () => (wanted ? [wanted.name] : []));
      const address = server.address();
      const own = typeof address === 'object' && address ? address.port : port;
      if (isNew) logger.warn({ missing: now.name, port: own }, now.text);
    });
  } finally {
    if (server) {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    }
  }
}
