import { InvalidArgsError } from '@trunkline/contracts';
import type { Child } from 'hono/jsx';
import { CheckField, RefusalText } from '../form/fields.tsx';
import type { Refusal } from '../form/form-route.ts';
import { changedFields, readForm, SchemaForm, type FormSchema, type FormValues } from '../form/form-schema.tsx';
import { noticeCookie } from '../http/notice.ts';
import { adminPath, showAdminPage } from '../layout/admin-frame.tsx';
import { CsrfField, seeOther } from '../layout/page.tsx';
import { partPath } from '../layout/tabbed-pages.tsx';
import type { PageRoute } from '../page-route.ts';
import type { Visit } from '../visit.ts';
import { adminForm } from './admin-form.ts';
import type { Administered, ObjectKind } from './object-pages.tsx';

interface Part<T> {
  /** The key of the page in the object's parts. */
  readonly part: string;
  readonly show: (visit: Visit, object: T, refusal: Refusal | null) => Child | Promise<Child>;
  /** Performs the form's action; returns the notice for the same page or, with a path, for another one. */
  readonly submit: (visit: Visit, object: T) => Promise<string | { readonly notice: string; readonly path: string }>;
}

/** Returns one of an object's pages, below links to the others. */
export function partPage<T extends Administered>(
  { pageName, section, readObject }: ObjectKind<T>,
  { part, show, submit }: Part<T>,
): PageRoute {
  return adminForm({
    pageName,
    readObject,
    async show(visit, object, refusal) {
      const { tabbed } = object;
      const children = (
        <>
          <h2>{tabbed.parts[part]}</h2>
          {await show(visit, object, refusal)}
        </>
      );
      const status = refusal?.status ?? 200;
      return showAdminPage(visit, { section, tabbed: { of: tabbed, part }, status, children });
    },
    async submit(visit, object) {
      const done = await submit(visit, object);
      return typeof done === 'string'
        ? seeOther(partPath(object.tabbed, part), noticeCookie(done))
        : seeOther(done.path, noticeCookie(done.notice));
    },
  });
}

interface EditDescription<T, S extends FormSchema> {
  readonly schemaOf: (object: T) => S;
  readonly valuesOf: (object: T) => FormValues<S>;
  /** Saves the fields that the form has changed. */
  readonly update: (visit: Visit, object: T, changed: Partial<FormValues<S>>) => Promise<unknown>;
  /** Renders what stands above and below the form. */
  readonly about?: (visit: Visit, object: T) => Promise<{ readonly above?: Child; readonly below?: Child }>;
}

/** Returns the first of an object's pages, with a form of the object's own fields. */
export function editPage<T extends Administered, S extends FormSchema>(
  kind: ObjectKind<T>,
  { schemaOf, valuesOf, update, about }: EditDescription<T, S>,
): PageRoute {
  return partPage(kind, {
    part: '',
    async show(visit, object, refusal) {
      const [schema, current] = [schemaOf(object), valuesOf(object)];
      const { above, below } = (await about?.(visit, object)) ?? {};
      const values = refusal ? readForm(schema, visit.form, current) : current;
      return (
        <>
          <RefusalText refusal={refusal} />
          {above}
          <SchemaForm
            visitor={visit.visitor}
            action={object.tabbed.path}
            schema={schema}
            values={values}
            submit="Save"
          />
          {below}
        </>
      );
    },
    async submit(visit, object) {
      const current = valuesOf(object);
      await update(visit, object, changedFields(readForm(schemaOf(object), visit.form, current), current));
      return `The ${kind.noun} is saved.`;
    },
  });
}

interface DeleteDescription<T> {
  readonly nameOf: (object: T) => string;
  /** Renders what is deleted with the object, and what prevents the deletion. */
  readonly warning: (name: string) => Child;
  readonly remove: (visit: Visit, object: T) => Promise<unknown>;
}

/** Returns the page that deletes an object after a confirmation. */
export function deletePage<T extends Administered>(
  kind: ObjectKind<T>,
  { nameOf, warning, remove }: DeleteDescription<T>,
): PageRoute {
  const { noun, section } = kind;
  const part = 'advanced';
  return partPage(kind, {
    part,
    show: ({ visitor }, object, refusal) => (
      <>
        <RefusalText refusal={refusal} />
        <form method="post" action={partPath(object.tabbed, part)} class="stacked">
          <CsrfField visitor={visitor} />
          <p class="warning">{warning(nameOf(object))}</p>
          <CheckField label={`Yes, delete ${nameOf(object)}`} name="confirmed" checked={false} required />
          <button class="danger">Delete this {noun}</button>
        </form>
      </>
    ),
    async submit(visit, object) {
      if (!visit.form.has('confirmed')) throw new InvalidArgsError('Nothing was deleted: confirm the deletion first');
      await remove(visit, object);
      return { notice: `The ${noun} ${nameOf(object)} is deleted.`, path: adminPath(section) };
    },
  });
}
