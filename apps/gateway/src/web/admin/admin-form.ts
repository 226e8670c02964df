import { rerenderOnError, type Refusal } from '../form/rerender-on-error.ts';
import type { PageRoute } from '../page-route.ts';
import type { Visit } from '../visit.ts';
import type { ViewName } from '../visitor/view-names.ts';

interface AdminForm<S> {
  readonly view: ViewName;
  /** What the page is about. */
  readonly of: (visit: Visit) => Promise<S>;
  readonly show: (visit: Visit, tabbed: S, refusal: Refusal | null) => Promise<Response>;
  /** Does what was asked for and leads on. */
  readonly take: (visit: Visit, tabbed: S) => Promise<Response>;
}

/** A page of the administration with forms that are sent to the page itself. */
export function adminForm<S>({ view, of, show, take }: AdminForm<S>): PageRoute {
  return {
    view,
    audience: 'administrators',
    get: async (visit) => show(visit, await of(visit), null),
    async post(visit) {
      const tabbed = await of(visit);
      return rerenderOnError(
        () => take(visit, tabbed),
        (refusal) => show(visit, tabbed, refusal),
      );
    },
  };
}

/** What pages are about that are about nothing in particular. */
export const ofNothing = async (): Promise<null> => null;
