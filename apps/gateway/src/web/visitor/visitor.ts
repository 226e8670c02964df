import type { Caller } from '@trunkline/contracts';
import type { Session } from '../../authn/session/sessions.ts';

/** Who looks at a page. */
export interface Visitor {
  readonly caller: Caller;
  readonly admin: boolean;
  /** Who is signed in; null for who shows a key or nothing. */
  readonly session: Session | null;
}
