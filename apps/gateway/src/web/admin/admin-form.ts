import { formRoute, type FormPage } from '../form/form-route.ts';
import type { PageRoute } from '../page-route.ts';
import type { PageName } from '../visitor/page-names.ts';

/** Returns the route of an administration page with forms. */
export function adminForm<T>({ view, ...page }: FormPage<T> & { readonly view: PageName }): PageRoute {
  return formRoute({ view, audience: 'administrators' }, page);
}

/** The `readObject` of a page that shows no object. */
export const noObject = async (): Promise<null> => null;
