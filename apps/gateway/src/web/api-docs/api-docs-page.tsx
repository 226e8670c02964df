import { methods, rpcPath, type Method } from '@trunkline/contracts';
import { showPage } from '../layout/page.tsx';
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

/** Returns the methods that have every word of the filter in a name or the summary. */
function methodsAbout(filter: string): readonly Method[] {
  const words = filter.toLowerCase().split(/\s+/);
  return Object.values<Method>(methods).filter((one) => words.every((word) => isAbout(one, word)));
}

/** Renders a method's name with line-break opportunities after its underscores. */
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
        Send each call as a POST request to <code>{`${baseUrl}${rpcPath}`}</code> with a JSON object of <code>id</code>,{' '}
        <code>api_key</code>, <code>method</code> and <code>args</code>. The response has <code>id</code>,{' '}
        <code>result</code> and <code>error</code>; either <code>result</code> or <code>error</code> is null. Replace{' '}
        <code>YOUR_KEY</code> with one of your <a href="/_admin/my_account/api_keys">API keys</a>.
      </p>
      <p>Arguments without a default are required. Values may be sent as strings. Times are in UTC.</p>
    </>
  );
}

function Filter({ filter }: { filter: string }) {
  return (
    <form method="get" action="/_admin/api-docs" class="inline" role="search">
      <label>
        Search names and descriptions
        <input name="q" type="search" value={filter} autocomplete="off" spellcheck={false} />
      </label>
      <button class="plain">Search</button>
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
        <p>No methods match “{filter}”.</p>
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

/** The page that documents every method of the API, from the methods' declarations. */
export const apiDocsPage: PageRoute = {
  pageName: 'ApiDocsController:index',
  audience: 'users',
  async get(visit) {
    const { query, baseUrl } = visit;
    const filter = query.get('q')?.trim() ?? '';
    const children = <ApiDocs filter={filter} found={methodsAbout(filter)} baseUrl={baseUrl} />;
    return showPage(visit, { title: 'API', section: 'account', children });
  },
};
