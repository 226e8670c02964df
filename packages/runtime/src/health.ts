import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type Answer, containErrors } from './contain-errors.ts';

/** Names what is missing, or returns null when a dependency answers in time. */
export type Probe = () => Promise<string | null>;

/** Requests that may be open at once: an answer that was lost never comes, and must not hold the probe up. */
const openMax = 3;
/** Calls without an answer in time after which a further request is sent beside the one that has none. */
const patience = 10;

/**
 * Creates a probe with few open requests: while a frozen dependency has not answered, later calls wait for the same
 * answer, each for at most `timeoutMs`. `nameOf` names the dependency by the error of a request, or without one that of
 * a late answer.
 */
export function createProbe(
  ask: () => Promise<unknown>,
  timeoutMs: number,
  nameOf: (error?: unknown) => string,
): Probe {
  let pending: Promise<string | null> | undefined;
  let open = 0;
  let lateCalls = 0;
  const send = () => {
    open += 1;
    lateCalls = 0;
    const sent = ask()
      .then(() => null, nameOf)
      .finally(() => {
        open -= 1;
        if (pending === sent) pending = undefined;
      });
    return sent;
  };
  return async () => {
    if (lateCalls >= patience && open < openMax) pending = undefined;
    pending ??= send();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string | null>((resolve) => {
      timer = setTimeout(() => {
        lateCalls += 1;
        resolve(nameOf());
      }, timeoutMs);
    });
    try {
      return await Promise.race([pending, late]);
    } finally {
      clearTimeout(timer);
    }
  };
}

interface WaitLogger {
  warn(fields: { readonly missing: string; readonly port: number }, text: string): void;
  error(fields: { readonly err: unknown }, text: string): void;
}

/** What a process waits for before it can serve: a word for `/readyz`, and a sentence for the log. */
interface Wanted {
  readonly name: string;
  readonly text: string;
}

const json = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };

async function listen(
  { host, port, logger }: { readonly host: string; readonly port: number; readonly logger: WaitLogger },
  missing: () => readonly string[],
): Promise<Server> {
  const answer: Answer = (request, response) => {
    if (request.url === '/healthz') response.writeHead(200, { 'Content-Type': 'text/plain' }).end('ok');
    else if (request.url === '/readyz') response.writeHead(503, json).end(JSON.stringify({ missing: missing() }));
    // As without a process: a balancer tries the next one.
    else request.socket.destroy();
  };
  const report = (err: unknown) => logger.error({ err }, 'request failed');
  const server = createServer(containErrors(answer, report));
  server.listen(port, host);
  await once(server, 'listening');
  server.on('error', report);
  return server;
}

/**
 * Runs `act`, which says what it waits for, if anything: the log has each such sentence once, and until `act` ends
 * `/healthz` and `/readyz` are served at the address at which the process will answer.
 */
export async function answerWhileWaiting<T>(
  { host, port, logger }: { readonly host: string; readonly port: number; readonly logger: WaitLogger },
  act: (onWait: (wanted: Wanted) => Promise<void>) => Promise<T>,
): Promise<T> {
  let wanted: Wanted | undefined;
  let server: Server | undefined;
  try {
    return await act(async (now) => {
      const isNew = now.text !== wanted?.text;
      wanted = now;
      server ??= await listen({ host, port, logger }, () => (wanted ? [wanted.name] : []));
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
