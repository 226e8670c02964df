import { requiredMark, rpcPath, type Operation } from '@trunkline/contracts';

function requiredArgs({ args }: Operation): readonly string[] {
  return Object.entries(args).flatMap(([name, { fallback }]) => (fallback === requiredMark ? [name] : []));
}

const placeholder = (argName: string) => argName.toUpperCase();

/** A call with curl, ready but for the words in capitals. */
export function curlLine(operation: Operation, baseUrl: string): string {
  const args = Object.fromEntries(requiredArgs(operation).map((name) => [name, placeholder(name)]));
  const body = JSON.stringify({ id: 1, api_key: 'YOUR_KEY', method: operation.name, args });
  return `curl -d '${body}' ${baseUrl}${rpcPath}`;
}

/** The same call with the service's own client. */
export function clientLine(operation: Operation, baseUrl: string): string {
  const args = requiredArgs(operation).map((name) => `${name}:${placeholder(name)}`);
  return ['service-api', `--apihost=${baseUrl}`, '--apikey=YOUR_KEY', operation.name, ...args].join(' ');
}
