import type { HttpBindings } from '@hono/node-server';
import type { ClusterState } from '@trunkline/runtime';
import type { PasswordThrottle } from '../authn/guess-throttles.ts';
import type { CountWorkers } from '../http/ping-workers.ts';
import type { Renderer } from './render/create-renderers.ts';
import type { Visitor } from './identify.ts';
import type { WorkerCalls } from './worker-calls.ts';

/** One request for a page, by a visitor who belongs to the page's audience. */
export interface Visit {
  readonly isPost: boolean;
  readonly http: HttpBindings;
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  /** The fields of a form that was sent with POST; empty for any other request. */
  readonly form: URLSearchParams;
  /** The client's address; behind a trusted proxy, the address that the proxy reports. */
  readonly ip: string;
  /** The URL of the service, without a trailing slash. */
  readonly baseUrl: string;
  readonly siteName: string;
  readonly visitor: Visitor;
  readonly worker: WorkerCalls;
  readonly renderer: Renderer;
  readonly passwordThrottle: PasswordThrottle;
  readonly countWorkers: CountWorkers;
  /** Asks all processes of the cluster for their state. */
  readonly readCluster: () => Promise<ClusterState>;
  /** The notice that the previous form left in a cookie, to be shown once; null when there is none. */
  readonly notice: string | null;
}
