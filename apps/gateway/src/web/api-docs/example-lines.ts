import { requiredMark, rpcPath, type Method } from '@trunkline/contracts';

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
