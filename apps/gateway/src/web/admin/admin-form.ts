import { formRoute, type FormPage } from '../form/form-route.ts';
import { text } from '../form/form-schema.tsx';
import type { PageName } from '../identify.ts';
import type { PageRoute } from '../page-route.ts';

/** Returns the route of an administration page with forms. */
export function adminForm<T>({ pageName, ...page }: FormPage<T> & { readonly pageName: PageName }): PageRoute {
  return formRoute({ pageName, audience: 'administrators' }, page);
}

/** The `readObject` of a page that shows no object. */
export const noObject = async (): Promise<null> => null;

export const owner = text({ label: 'Owner', required: true, maxlength: 255, hint: 'A username.' });

export const newOwner = text({
  label: 'Owner',
  maxlength: 255,
  hint: 'A username. Leave empty to become the owner yourself.',
});
