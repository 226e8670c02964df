import { prefixedId } from './link-target.ts';

const slugMax = 100;

function slugOf(heading: string): string {
  return heading
    .slice(0, slugMax)
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/**
 * Returns a function that gives each heading of a document a unique id, spelled as links inside the document spell it:
 * lower case, with hyphens for spaces, and numbered when a heading is repeated.
 */
export function createHeadingIds(): (heading: string) => string {
  const uses = new Map<string, number>();
  return (heading) => {
    const slug = slugOf(heading);
    let id = slug;
    while (uses.has(id)) {
      const count = (uses.get(slug) ?? 0) + 1;
      uses.set(slug, count);
      id = `${slug}-${count}`;
    }
    uses.set(id, 0);
    return prefixedId(id);
  };
}
