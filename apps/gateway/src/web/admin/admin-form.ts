import { rerenderOnError, type Refusal } from '../form/rerender-on-error.ts';
import type { PageRoute } from '../page-route.ts';
import type { Visit } from '../visit.ts';
import type { ViewName } from '../visitor/view-names.ts';

interface AdminForm<S> {
  readonly view: ViewName;
  /** The object of the page. */
  readonly of: (visit: Visit) => Promise<S>;
  readonly show: (visit: Visit, tabbed: S, refusal: Refusal | null) => Promise<Response>;
  /** Performs the form's action and returns the redirect. */
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

/** The object of pages that have none. */
export const ofNothing = async (): Promise<null> => null;
