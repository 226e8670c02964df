import { describePermission, describeShape, requiredMark, rpcPath, type Arg, type Method } from '@trunkline/contracts';
import { WithCode } from '../layout/inline.tsx';

function requiredArgs({ args }: Method): readonly string[] {
  return Object.entries(args).flatMap(([name, { fallback }]) => (fallback === requiredMark ? [name] : []));
}

const placeholder = (argName: string) => argName.toUpperCase();

/** Returns a command line that calls a method with curl; words in capitals are to be replaced. */
export function curlLine(method: Method, baseUrl: string): string {
  const args = Object.fromEntries(requiredArgs(method).map((name) => [name, placeholder(name)]));
  const body = JSON.stringify({ id: 1, api_key: 'YOUR_KEY', method: method.name, args });
  return `curl -d '${body}' ${baseUrl}${rpcPath}`;
}

/** Returns a command line that makes the same call with the service's own client. */
export function clientLine(method: Method, baseUrl: string): string {
  const args = requiredArgs(method).map((name) => `${name}:${placeholder(name)}`);
  return ['service-api', `--apihost=${baseUrl}`, '--apikey=YOUR_KEY', method.name, ...args].join(' ');
}

function Arguments({ of, args }: { of: string; args: readonly (readonly [string, Arg<unknown>])[] }) {
  if (args.length === 0) return <p>No arguments.</p>;
  return (
    <div class="scroll" tabindex={0} role="group" aria-label={`Arguments of ${of}`}>
      <table class="arguments">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Default</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {args.map(([name, { fallback, shownDefault, summary, aliases }]) => (
            <tr>
              <td>
                <code>{name}</code>
              </td>
              <td>{fallback === requiredMark ? 'required' : shownDefault}</td>
              <td>
                <WithCode text={[summary, ...aliases.map((one) => `also sent as \`${one}\``)].join('; ')} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Lines({ label, children }: { label: string; children: string }) {
  return (
    <pre class="copy" tabindex={0} role="group" aria-label={label}>
      {children}
    </pre>
  );
}

/** Renders the documentation of one method. */
export function MethodSection({ method, baseUrl }: { method: Method; baseUrl: string }) {
  const { name, aliases, summary, permission, args, result } = method;
  return (
    <section class="method" aria-labelledby={name}>
      <h2 id={name}>{name}</h2>
      <p>
        <WithCode text={summary} />
      </p>
      <dl class="facts">
        <dt>Allowed for</dt>
        <dd>
          <WithCode text={describePermission(permission)} />
        </dd>
        {aliases.length > 0 && (
          <>
            <dt>Earlier names</dt>
            <dd>
              <WithCode text={aliases.map((one) => `\`${one}\``).join(', ')} />
            </dd>
          </>
        )}
      </dl>
      <h3>Arguments</h3>
      <Arguments of={name} args={Object.entries(args)} />
      <h3>Result</h3>
      <Lines label={`Result of ${name}`}>{describeShape(result, '')}</Lines>
      <h3>Call</h3>
      <Lines label={`${name} with curl`}>{curlLine(method, baseUrl)}</Lines>
      <Lines label={`${name} with service-api`}>{clientLine(method, baseUrl)}</Lines>
    </section>
  );
}
