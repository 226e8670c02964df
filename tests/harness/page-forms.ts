interface FormField {
  readonly name: string;
  /** Value of the field, or the values of its options. */
  readonly values: readonly [string, ...string[]];
  readonly isHidden: boolean;
}

interface PageForm {
  readonly action: string;
  readonly isPost: boolean;
  readonly fields: readonly FormField[];
}

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

function unescape(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity);
}

function attribute(tag: string, name: string): string | null {
  const [, value] = new RegExp(`\\b${name}="([^"]*)"`).exec(tag) ?? [];
  return value === undefined ? null : unescape(value);
}

/** Reads a field from markup that begins with its tag and ends before the next field; empty without a name. */
function fieldOf(markup: string): FormField[] {
  const tag = markup.slice(0, markup.indexOf('>'));
  const name = attribute(tag, 'name');
  if (name === null) return [];
  const [text = ''] = markup.slice(tag.length + 1).split('<', 1);
  const own = attribute(tag, 'value') ?? unescape(text.trim());
  const [first = own, ...others] = [...markup.matchAll(/<option\b[^>]*>/g)].map(
    ([option]) => attribute(option, 'value') ?? '',
  );
  return [{ name, values: [first, ...others], isHidden: attribute(tag, 'type') === 'hidden' }];
}

/** Returns the forms of a page with their fields. */
export function formsOf(page: string): PageForm[] {
  return (page.match(/<form\b[^]*?<\/form>/g) ?? []).map((form) => ({
    action: attribute(form, 'action') ?? '',
    isPost: attribute(form, 'method') === 'post',
    fields: form
      .split(/(?=<(?:input|button|select|textarea)\b)/)
      .slice(1)
      .flatMap(fieldOf),
  }));
}
