/** Returns the command that starts a program, with its first arguments, as the bootstrap found it. */
export function toolCommand(variable: string, fallback: string): [string, ...string[]] {
  const words: unknown = JSON.parse(process.env[variable] ?? `["${fallback}"]`);
  const list = Array.isArray(words) ? words.map(String) : [];
  return [list[0] ?? fallback, ...list.slice(1)];
}
