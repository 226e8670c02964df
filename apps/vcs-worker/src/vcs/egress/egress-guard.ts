import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createAddressPolicy } from './address-policy.ts';
import { createDial, lookupAddresses, type LookupAddresses } from './dial.ts';
import { EgressProxy } from './egress-proxy.ts';
import { OpenSession, type SessionFailure } from './open-session.ts';
import type { RateLimit } from './remote-rate.ts';
import type { Target } from './target.ts';

export interface EgressFigures {
  readonly openSessions: number;
  readonly bytesReceived: number;
  /** Sessions that have ended with a failure of their last connection, by its reason. */
  readonly failures: Readonly<Record<SessionFailure, number>>;
}

/** What is read of a session. */
interface CountedSession {
  readonly bytesReceived: number;
  readonly failure: SessionFailure | null;
}

/** Sums over the sessions of a guard: those that are open, and those that have ended. */
export class EgressCounts {
  readonly #failures = { 'address refused': 0, 'too large': 0, unreachable: 0, 'timed out': 0 };
  #endedBytes = 0;

  ended({ bytesReceived, failure }: CountedSession): void {
    this.#endedBytes += bytesReceived;
    if (failure !== null) this.#failures[failure] += 1;
  }

  with(open: Iterable<CountedSession>): EgressFigures {
    const sessions = [...open];
    const bytesReceived = sessions.reduce((bytes, one) => bytes + one.bytesReceived, this.#endedBytes);
    return { openSessions: sessions.length, bytesReceived, failures: { ...this.#failures } };
  }
}

const guardHost = '127.0.0.1';
const connectTimeoutMsDefault = 10_000;
const idleTimeoutMsDefault = 60_000;
/** Time from the connection to the complete head of its first request, which hg, git and ssh send at once. */
const headMsDefault = 10_000;
/** Far more than the sessions of a worker need. */
const connectionsMax = 1_024;

/** Access of one check or fetch to its remote: a loopback proxy with credentials, or sockets from `connect`. */
export interface EgressSession {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly bytesReceived: number;
  /** A refused address, else the exceeded byte limit, else the failure of the last connection; null without any. */
  readonly failure: SessionFailure | null;
  connect(target: Target): Promise<Socket>;
  close(): void;
}

export interface EgressGuard {
  /** Opens a session. With `only`, every other target is refused, whatever a remote redirects to. */
  open(options: { bytesMax: number; only?: Target | null }): EgressSession;
  readonly figures: EgressFigures;
  close(): Promise<void>;
}

export interface EgressGuardOptions {
  /** Addresses or CIDR blocks that the operator allows although they are not public. */
  readonly allowedRemotes: readonly string[];
  readonly lookup?: LookupAddresses;
  readonly connectTimeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly headMs?: number;
  /** The rate below which a remote is given up; absent for none. */
  readonly rateLimit?: RateLimit;
}

/** Starts a forward proxy on loopback, through which hg, git and ssh reach their remotes and nothing else. */
export async function startEgressGuard(options: EgressGuardOptions): Promise<EgressGuard> {
  const isAllowed = createAddressPolicy(options.allowedRemotes);
  const idleTimeoutMs = options.idleTimeoutMs ?? idleTimeoutMsDefault;
  const server = createProxyServer(idleTimeoutMs, options.headMs ?? headMsDefault);
  const port = await listen(server);
  const sessions = new Map<string, OpenSession>();
  const counts = new EgressCounts();
  const dial = createDial({
    isAllowed,
    lookup: options.lookup ?? lookupAddresses,
    guardPort: port,
    connectTimeoutMs: options.connectTimeoutMs ?? connectTimeoutMsDefault,
    idleTimeoutMs,
  });

  const proxy = new EgressProxy(sessions);
  // The refusal of a request may throw in turn: only that connection ends, which the tool that asked tells.
  const forward = (request: IncomingMessage, response: ServerResponse) => {
    proxy.forward(request, response).catch(() => request.socket.destroy());
  };
  server.on('request', forward).on('checkContinue', forward).on('checkExpectation', forward);
  server.on('connect', (request, socket, head) => {
    proxy.tunnel(request, head).catch(() => socket.destroy());
  });
  server.on('connection', (socket) => proxy.accept(socket));

  return {
    open({ bytesMax, only = null }) {
      const session = new OpenSession({
        host: guardHost,
        port,
        bytesMax,
        only,
        rateLimit: options.rateLimit ?? { bytesPerSecondMin: 0, windowMs: idleTimeoutMsDefault },
        dial,
        onClose() {
          if (sessions.delete(session.credentials)) counts.ended(session);
        },
      });
      sessions.set(session.credentials, session);
      return session;
    },
    get figures() {
      return counts.with(sessions.values());
    },
    close() {
      for (const session of sessions.values()) session.close();
      return stop(server);
    },
  };
}

function createProxyServer(idleTimeoutMs: number, headMs: number): Server {
  const server = createServer({
    keepAliveTimeout: idleTimeoutMs,
    headersTimeout: headMs,
    connectionsCheckingInterval: Math.min(headMs, 1_000),
    // The call ends a body that does not end.
    requestTimeout: 0,
  });
  server.maxConnections = connectionsMax;
  return server;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    // Also later, where it is without effect: a connection that cannot be accepted must not end the worker.
    server.on('error', reject);
    server.listen(0, guardHost, () => {
      const address = server.address();
      if (address !== null && typeof address === 'object') resolve(address.port);
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
