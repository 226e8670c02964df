import { orRefusal, type Refusal } from '../form/or-refusal.ts';
import type { PageRoute } from '../page-route.ts';
import type { Visit } from '../visit.ts';
import type { ViewName } from '../visitor/view-names.ts';

interface AdminForm<S> {
  readonly view: ViewName;
  /** What the page is about. */
  readonly of: (visit: Visit) => Promise<S>;
  readonly show: (visit: Visit, subject: S, refusal: Refusal | null) => Promise<Response>;
  /** Does what was asked for and leads on. */
  readonly take: (visit: Visit, subject: S) => Promise<Response>;
}

/** A page of the administration with forms that are sent to the page itself. */
export function adminForm<S>({ view, of, show, take }: AdminForm<S>): PageRoute {
  return {
    view,
    audience: 'administrators',
    get: async (visit) => show(visit, await of(visit), null),
    async post(visit) {
      const subject = await of(visit);
      return orRefusal(
        () => take(visit, subject),
        (refusal) => show(visit, subject, refusal),
      );
    },
  };
}

/** What pages are about that are about nothing in particular. */
export const ofNothing = async (): Promise<null> => null;
