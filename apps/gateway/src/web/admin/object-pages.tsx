import { NotFoundError } from '@trunkline/contracts';
import type { Child } from 'hono/jsx';
import { RefusalText } from '../form/fields.tsx';
import { readForm, SchemaForm, type FormSchema, type FormValues } from '../form/form-schema.tsx';
import { noticeCookie } from '../http/notice.ts';
import { adminPath, showAdminPage } from '../layout/admin-frame.tsx';
import { FilterForm, filterQuery, listQuery, Pager } from '../layout/list-controls.tsx';
import { seeOther } from '../layout/page.tsx';
import type { TabbedPages } from '../layout/tabbed-pages.tsx';
import type { PageName } from '../identify.ts';
import type { PageRoute } from '../page-route.ts';
import type { Visit } from '../visit.ts';
import { adminForm, noObject } from './admin-form.ts';

/** An object that administrators change, and its pages. */
export interface Administered {
  readonly tabbed: TabbedPages;
}

/** A kind of objects that administrators list, create, change and delete: users, user groups or repository groups. */
export interface ObjectKind<T extends Administered> {
  readonly pageName: PageName;
  readonly section: 'users' | 'user_groups' | 'repo_groups';
  readonly noun: string;
  /** Reads the object whose id is in the path; throws NotFoundError when there is none. */
  readonly readObject: (visit: Visit) => Promise<T>;
}

/** Returns the id in a path such as `/_admin/users/7/edit`. Throws NotFoundError when that segment is no id. */
export function idSegment({ segments: [, , id = ''] }: Visit): number {
  if (!/^[0-9]{1,10}$/.test(id)) throw new NotFoundError('There is no such page.');
  return Number(id);
}

interface ListDescription<Row> {
  readonly filterLabel: string;
  readonly find: (
    visit: Visit,
    query: ReturnType<typeof listQuery>,
  ) => Promise<{ readonly rows: readonly Row[]; readonly next: string | null }>;
  readonly showRow: (row: Row) => Child;
}

/** Returns the page that lists the objects of a kind, with a filter and a link to the page that creates one. */
export function listPage<Row, T extends Administered>(
  { pageName, section, noun }: ObjectKind<T>,
  { filterLabel, find, showRow }: ListDescription<Row>,
): PageRoute {
  const path = adminPath(section);
  return {
    pageName,
    audience: 'administrators',
    async get(visit) {
      const query = listQuery(visit);
      const { filter, cursor } = query;
      const { rows, next } = await find(visit, query);
      return showAdminPage(visit, {
        section,
        action: (
          <a class="button" href={`${path}/new`}>
            New {noun}
          </a>
        ),
        children: (
          <>
            <FilterForm label={filterLabel} path={path} filter={filter} />
            {rows.length === 0 && <p class="soft">No {noun}s found.</p>}
            <ul class="plain rows">
              {rows.map((row) => (
                <li>{showRow(row)}</li>
              ))}
            </ul>
            <Pager cursor={cursor} next={next} path={path} query={filterQuery(filter)} />
          </>
        ),
      });
    },
  };
}

interface NewDescription<S extends FormSchema> {
  readonly schema: S;
  readonly initial: FormValues<S>;
  /** Creates the object; returns its name and the path of its pages. */
  readonly create: (visit: Visit, values: FormValues<S>) => Promise<{ readonly name: string; readonly path: string }>;
}

/** Returns the page that creates an object of a kind. */
export function newPage<S extends FormSchema, T extends Administered>(
  { pageName, section, noun }: ObjectKind<T>,
  { schema, initial, create }: NewDescription<S>,
): PageRoute {
  return adminForm({
    pageName,
    readObject: noObject,
    async show(visit, _, refusal) {
      const { visitor, form } = visit;
      const values = refusal ? readForm(schema, form, initial) : initial;
      const action = `${adminPath(section)}/new`;
      const children = (
        <>
          <RefusalText refusal={refusal} />
          <SchemaForm visitor={visitor} action={action} schema={schema} values={values} submit={`Create ${noun}`} />
        </>
      );
      return showAdminPage(visit, { section, heading: `New ${noun}`, status: refusal?.status ?? 200, children });
    },
    async submit(visit) {
      const { name, path } = await create(visit, readForm(schema, visit.form, initial));
      return seeOther(path, noticeCookie(`The ${noun} ${name} is created.`));
    },
  });
}
