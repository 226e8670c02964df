import { methods, rpcPath, type Method } from '@trunkline/contracts';
import { showPage } from '../layout/show-page.tsx';
import type { PageRoute } from '../page-route.ts';
import { MethodSection } from './method-section.tsx';

interface Props {
  readonly filter: string;
  readonly found: readonly Method[];
  readonly baseUrl: string;
}

function isAbout({ name, aliases, summary }: Method, word: string): boolean {
  return [name, ...aliases, summary].some((text) => text.toLowerCase().includes(word));
}

/** The methods that contain every word of the filter. */
function operationsAbout(filter: string): readonly Method[] {
  const words = filter.toLowerCase().split(/\s+/);
  return Object.values<Method>(methods).filter((one) => words.every((word) => isAbout(one, word)));
}

/** A method's name with line-break opportunities after its underscores. */
function BreakableName({ name }: { name: string }) {
  return (
    <>
      {name.split(/(?<=_)/).map((word) => (
        <>
          {word}
          <wbr />
        </>
      ))}
    </>
  );
}

function Introduction({ baseUrl }: { baseUrl: string }) {
  return (
    <>
      <p>
        Calls are sent with POST to <code>{`${baseUrl}${rpcPath}`}</code> as JSON with <code>id</code>,{' '}
        <code>api_key</code>, <code>method</code> and <code>args</code>. The answer has <code>id</code>,{' '}
        <code>result</code> and <code>error</code>; one of the last two is null. Put{' '}
        <a href="/_admin/my_account/api_keys">a key of yours</a> in the place of <code>YOUR_KEY</code>.
      </p>
      <p>Arguments without a default are required; values may be sent as strings. Times are UTC.</p>
    </>
  );
}

function Filter({ filter }: { filter: string }) {
  return (
    <form method="get" action="/_admin/api-docs" class="inline" role="search">
      <label>
        Words in names and summaries
        <input name="q" type="search" value={filter} autocomplete="off" spellcheck={false} />
      </label>
      <button class="plain">Show</button>
      {filter !== '' && <a href="/_admin/api-docs">Show all</a>}
    </form>
  );
}

function ApiDocs({ filter, found, baseUrl }: Props) {
  return (
    <>
      <h1>API</h1>
      <Introduction baseUrl={baseUrl} />
      <Filter filter={filter} />
      {found.length === 0 ? (
        <p>No method is about “{filter}”.</p>
      ) : (
        <div class="sidebar-layout">
          <nav class="sidebar methods" aria-label="Methods">
            {found.map(({ name }) => (
              <a href={`#${name}`}>
                <BreakableName name={name} />
              </a>
            ))}
          </nav>
          <div class="part">
            {found.map((method) => (
              <MethodSection method={method} baseUrl={baseUrl} />
            ))}
          </div>
        </div>
      )}
    </>
  );
}

/** Every method of the API, as it is declared. */
export const apiDocsPage: PageRoute = {
  view: 'ApiDocsController:index',
  audience: 'users',
  async get(visit) {
    const { query, baseUrl } = visit;
    const filter = query.get('q')?.trim() ?? '';
    const children = <ApiDocs filter={filter} found={operationsAbout(filter)} baseUrl={baseUrl} />;
    return showPage(visit, { title: 'API', section: 'account', children });
  },
};
