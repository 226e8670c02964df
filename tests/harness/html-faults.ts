const tag = /<(?:!doctype html>|(\/?)([a-z][a-z0-9-]*)((?:\s+[\w:-]+(?:="[^"<>]*")?)*)\s*(\/?)>)/gy;
const empty = new Set(['meta', 'link', 'input', 'br', 'hr', 'img', 'wbr', 'col', 'source']);
const forbidden = new Set(['script', 'iframe', 'object', 'embed', 'base', 'style', 'frame', 'applet', 'noscript']);

function mightRun(attributes: string): boolean {
  return [...attributes.matchAll(/([\w:-]+)(?:="([^"]*)")?/g)].some(([, name = '', value = '']) => {
    const leads = /^(?:href|src|action|formaction)$/i.test(name);
    return /^on/i.test(name) || (leads && /^\s*(?:javascript|data|vbscript):/i.test(value));
  });
}

/** Returns the faults of a page: malformed HTML, by stricter rules than those of browsers, and code that might run. */
export function htmlFaults(page: string): string[] {
  const open: string[] = [];
  const faults: string[] = [];
  for (let at = page.indexOf('<'); at >= 0; at = page.indexOf('<', tag.lastIndex)) {
    tag.lastIndex = at;
    const found = tag.exec(page);
    const shown = page.slice(at, at + 100);
    if (!found) return [...faults, `no tag: ${shown}`];
    const [, closing = '', name = '', attributes = '', closed = ''] = found;
    if (forbidden.has(name)) faults.push(`a forbidden tag: ${shown}`);
    if (mightRun(attributes)) faults.push(`it might run: ${shown}`);
    if (closing !== '') {
      if (open.pop() !== name) return [...faults, `closes what is not open: ${shown}`];
    } else if (name !== '' && closed === '' && !empty.has(name)) open.push(name);
  }
  return open.length === 0 ? faults : [...faults, `still open: ${open.join(' ')}`];
}
