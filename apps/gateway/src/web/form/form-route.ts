import type { PageRoute } from '../page-route.ts';
import type { Visit } from '../visit.ts';
import { rerenderOnError, type Refusal } from './rerender-on-error.ts';

export interface FormPage<T> {
  /** Reads the object that the page shows. */
  readonly readObject: (visit: Visit) => Promise<T>;
  readonly show: (visit: Visit, object: T, refusal: Refusal | null) => Promise<Response>;
  /** Performs the form's action and returns the redirect. */
  readonly submit: (visit: Visit, object: T) => Promise<Response>;
}

/** Returns the route of a page whose forms are posted to the page's own path. */
export function formRoute<T>(
  route: Omit<PageRoute, 'get' | 'post'>,
  { readObject, show, submit }: FormPage<T>,
): PageRoute {
  return {
    ...route,
    get: async (visit) => show(visit, await readObject(visit), null),
    async post(visit) {
      const object = await readObject(visit);
      return rerenderOnError(
        () => submit(visit, object),
        (refusal) => show(visit, object, refusal),
      );
    },
  };
}
