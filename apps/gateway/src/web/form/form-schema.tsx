import type { Child } from 'hono/jsx';
import { AreaField, CheckField, NewPasswordField, SelectField, TextField, type TextFieldProps } from './fields.tsx';
import { CsrfField } from '../layout/page.tsx';
import type { Visitor } from '../identify.ts';

/** A field of a form: how browsers show its value and how the sent form is read. */
interface Field<V extends string | boolean> {
  /** The value in a sent form; undefined when the form has no such field. */
  read(form: URLSearchParams, name: string): V | undefined;
  show(name: string, value: V): Child;
}

/** The fields of a form by name, in the order in which they are shown. */
export type FormSchema = Readonly<Record<string, Field<string | boolean>>>;

type ValueOf<F> = F extends Field<infer V> ? V : never;

export type FormValues<S extends FormSchema> = { readonly [N in keyof S]: ValueOf<S[N]> };

type Description<P> = Omit<P, 'name' | 'value' | 'checked'>;

/** A field of one line; spaces around its value are dropped. */
export function text(props: Description<TextFieldProps>): Field<string> {
  return {
    read: (form, name) => form.get(name)?.trim(),
    show: (name, value) => <TextField {...props} name={name} value={value} />,
  };
}

/** A field for a new password, which no page ever shows; spaces around the password stay. */
export function newPassword(props: Description<TextFieldProps>): Field<string> {
  return {
    read: (form, name) => form.get(name) ?? undefined,
    show: (name) => <NewPasswordField {...props} name={name} />,
  };
}

/** A field of several lines. */
export function area(props: Description<Parameters<typeof AreaField>[0]>): Field<string> {
  return {
    // Browsers send CR LF for every line feed.
    read: (form, name) => form.get(name)?.replaceAll('\r\n', '\n'),
    show: (name, value) => <AreaField {...props} name={name} value={value} />,
  };
}

/** A check box; browsers send nothing for one that is not ticked. */
export function check(props: Description<Parameters<typeof CheckField>[0]>): Field<boolean> {
  return {
    read: (form, name) => form.has(name),
    show: (name, checked) => <CheckField {...props} name={name} checked={checked} />,
  };
}

export function select(props: Description<Parameters<typeof SelectField>[0]>): Field<string> {
  return {
    read: (form, name) => form.get(name) ?? undefined,
    show: (name, value) => <SelectField {...props} name={name} value={value} />,
  };
}

/**
 * Returns the values of the schema's fields in a sent form. Fields that the form lacks keep their value in `initial`,
 * except that a check box is then not ticked.
 */
export function readForm<S extends FormSchema>(
  schema: S,
  form: URLSearchParams,
  initial: FormValues<S>,
): FormValues<S> {
  const sent: Partial<Record<string, string | boolean>> = {};
  for (const [name, field] of Object.entries(schema)) {
    const value = field.read(form, name);
    if (value !== undefined) sent[name] = value;
  }
  return { ...initial, ...sent };
}

/** Returns the values that differ from the current ones, so that untouched fields are not set again. */
export function changedFields<F extends object>(values: F, current: F): Partial<F> {
  const changed: Partial<F> = { ...values };
  for (const name in changed) if (changed[name] === current[name]) delete changed[name];
  return changed;
}

interface Props<S extends FormSchema> {
  readonly visitor: Visitor;
  /** The path that the form is sent to. */
  readonly action: string;
  readonly schema: S;
  readonly values: FormValues<S>;
  /** The text of the button. */
  readonly submit: string;
}

/** Renders a form with a schema's fields. */
export function SchemaForm<S extends FormSchema>({ visitor, action, schema, values, submit }: Props<S>) {
  return (
    <form method="post" action={action} class="stacked">
      <CsrfField visitor={visitor} />
      {Object.entries(schema).map(([name, field]) => field.show(name, values[name] ?? ''))}
      <button>{submit}</button>
    </form>
  );
}
