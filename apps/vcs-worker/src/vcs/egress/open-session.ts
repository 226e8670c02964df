import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Dial } from './dial.ts';
import { RemoteRate, type RateLimit } from './remote-rate.ts';
import { EgressError, type Target } from './target.ts';

/** Reasons for failed connections that the guard can distinguish; hg, git and ssh only see that a connection failed. */
export type SessionFailure = 'address refused' | 'too large' | 'unreachable' | 'timed out';

/** Connections of one session on both sides, and those that are being opened: 32 tunnels. */
const connectionsMax = 64;

interface OpenSessionOptions {
  readonly host: string;
  readonly port: number;
  readonly bytesMax: number;
  readonly only: Target | null;
  readonly rateLimit: RateLimit;
  readonly dial: Dial;
  readonly onClose: () => void;
}

/** The credentials, the sockets and the count of received bytes of one egress session. */
export class OpenSession {
  readonly host: string;
  readonly port: number;
  readonly username = randomBytes(16).toString('hex');
  readonly password = randomBytes(24).toString('hex');
  readonly #bytesMax: number;
  readonly #only: Target | null;
  readonly #dial: Dial;
  readonly #onClose: () => void;
  readonly #rate: RemoteRate;
  readonly #sockets = new Set<Socket>();
  #connecting = 0;
  #bytesReceived = 0;
  #refused = false;
  #tooSlow = false;
  #lastFailure: 'unreachable' | 'timed out' | null = null;
  #closed = false;

  constructor(options: OpenSessionOptions) {
    this.host = options.host;
    this.port = options.port;
    this.#bytesMax = options.bytesMax;
    this.#only = options.only;
    this.#dial = options.dial;
    this.#onClose = options.onClose;
    this.#rate = new RemoteRate(options.rateLimit);
  }

  get credentials(): string {
    return `${this.username}:${this.password}`;
  }

  get bytesReceived(): number {
    return this.#bytesReceived;
  }

  get failure(): SessionFailure | null {
    if (this.#refused) return 'address refused';
    if (this.#bytesReceived > this.#bytesMax) return 'too large';
    return this.#tooSlow ? 'timed out' : this.#lastFailure;
  }

  requireBytesLeft(): void {
    if (this.#bytesReceived > this.#bytesMax) throw new EgressError(403, 'transfer limit reached');
  }

  /** Records that the tool has sent something to the remote. */
  recordAsked(): void {
    this.#rate.asked();
  }

  /** Records that the tool does not read what the remote has sent. */
  recordPaused(): void {
    this.#rate.paused();
  }

  adoptClient(socket: Socket): void {
    this.#adopt(socket);
  }

  /**
   * Connects to a target; throws EgressError 403 when the target is not allowed. The bytes received count towards the
   * session's limit, and the socket is destroyed when that limit is exceeded, when the remote sends too slowly, or when
   * the session is closed.
   */
  async connect(target: Target): Promise<Socket> {
    this.#requireTarget(target);
    if (this.#tooSlow) throw new EgressError(502, 'remote is too slow');
    if (this.#sockets.size + this.#connecting >= connectionsMax) throw new EgressError(502, 'too many connections');
    this.#rate.asked();
    const remote = await this.#counted(this.#dial(target)).catch((error: unknown) => {
      if (error instanceof EgressError && error.status === 403) this.#refused = true;
      else this.#lastFailure = 'unreachable';
      throw error;
    });
    this.#lastFailure = null;
    remote.once('timeout', () => (this.#lastFailure = 'timed out'));
    this.#adopt(remote);
    if (remote.destroyed) throw new EgressError(502, 'session is over');
    remote.on('data', (chunk: Buffer) => {
      this.#bytesReceived += chunk.length;
      this.#tooSlow ||= this.#rate.received(chunk.length);
      if (this.#tooSlow || this.#bytesReceived > this.#bytesMax) this.#destroySockets();
    });
    remote.on('pause', () => this.#rate.paused());
    return remote;
  }

  close(): void {
    this.#closed = true;
    this.#onClose();
    this.#destroySockets();
  }

  async #counted(dialled: Promise<Socket>): Promise<Socket> {
    this.#connecting += 1;
    try {
      return await dialled;
    } finally {
      this.#connecting -= 1;
    }
  }

  #requireTarget({ host, port }: Target): void {
    if (this.#only === null || (this.#only.host === host && this.#only.port === port)) return;
    this.#refused = true;
    throw new EgressError(403, 'only the remote itself is reachable');
  }

  #adopt(socket: Socket): void {
    if (this.#closed) socket.destroy();
    if (socket.destroyed || this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  #destroySockets(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
