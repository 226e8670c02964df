import { describePermission, describeShape, methods, requiredMark, type Arg, type Method } from '@trunkline/contracts';
import type { Examples } from './example-file.ts';

function argumentRow([name, arg]: [string, Arg<unknown>]): string {
  const fallback = arg.fallback === requiredMark ? 'required' : arg.shownDefault;
  const also = arg.aliases.map((one) => `; also sent as \`${one}\``).join('');
  return `| \`${name}\` | ${fallback.replaceAll('|', '\\|')} | ${arg.summary}${also} |`;
}

/** Renders a recorded request, on one line as clients send it, and its reply. */
function exchange(method: string, examples: Examples): string {
  const example = examples[method];
  if (!example) throw new Error(`no example of ${method}`);
  const request = JSON.stringify({ id: 1, api_key: '…', method, args: example.args });
  const reply = JSON.stringify({ id: 1, result: example.result, error: null }, null, 2);
  return `\`\`\`\n${request}\n\`\`\`\n\n\`\`\`json\n${reply}\n\`\`\``;
}

function section(method: Method, examples: Examples): string {
  const args = Object.entries(method.args);
  const table = ['| argument | default | meaning |', '|---|---|---|', ...args.map(argumentRow)].join('\n');
  const lane = method.laneOf ? `${method.lane}, or another by its arguments` : method.lane;
  const aliases = method.aliases.map((alias) => `\`${alias}\``).join(', ');
  return [
    `## ${method.name}`,
    method.summary,
    `${describePermission(method.permission)} Lane: ${lane}.${aliases === '' ? '' : ` Also answers to ${aliases}.`}`,
    args.length === 0 ? 'No arguments.' : table,
    `Result: \`${describeShape(method.result)}\``,
    exchange(method.name, examples),
  ].join('\n\n');
}

const head = `# Methods

Generated from \`packages/contracts\`, by \`UPDATE_DOCS=1 npx vitest run --project unit tests/docs\`. The examples are real
requests of an administrator and their responses, with keys, times and the like replaced.
\`tests/cluster/documented-examples.long.test.ts\` compares them, and writes them when run with \`UPDATE_DOCS=1\`.

Names of files, branches and tags are bytes. One that is no part of UTF-8 is U+FFFD and its two upper-case hexadecimal
digits, in results and in arguments: \`caf\ufffdE9\` is \`café\` in Latin-1 ([ADR 82](adr/0082-names-and-texts-are-bytes.md)).`;

/** Renders the whole of docs/methods.md. */
export function renderMethods(examples: Examples): string {
  const sections = Object.values<Method>(methods).map((method) => section(method, examples));
  return `${[head, ...sections].join('\n\n')}\n`;
}
