import type { HttpBindings } from '@hono/node-server';
import type { LookUpThrottle } from '../authn/look-up-throttle.ts';
import type { Renderer } from './render/thread/create-renderer.ts';
import type { Visitor } from './visitor/visitor.ts';
import type { WorkerCalls } from './worker/worker-calls.ts';

/** One request for a page by a visitor of its audience. */
export interface Visit {
  readonly isPost: boolean;
  readonly http: HttpBindings;
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  /** The fields that were sent with POST; none otherwise. */
  readonly form: URLSearchParams;
  readonly ip: string;
  /** The service's URL without a slash at its end. */
  readonly baseUrl: string;
  readonly siteName: string;
  readonly visitor: Visitor;
  readonly worker: WorkerCalls;
  readonly renderer: Renderer;
  /** Slows down repeated wrong passwords. */
  readonly passwordThrottle: LookUpThrottle;
  /** The notice of the form before, to be shown once. */
  readonly notice: string | null;
}
