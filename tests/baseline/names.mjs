/**
 * @typedef {object} TestName
 * @property {string} tier `quick` or `long`
 * @property {string} project
 * @property {string} name of the test with its suites; the file is no part of it, so that a file may be moved
 */

/** @param {readonly TestName[]} names */
export function formatNames(names) {
  const lines = names.map(({ tier, project, name }) => [tier, project, JSON.stringify(name)].join(' '));
  return `${lines.toSorted().join('\n')}\n`;
}

/** @param {string} text of `names.txt`
 *  @returns {TestName[]} */
export function parseNames(text) {
  return text.split('\n').flatMap((line) => {
    const [, tier, project, name] = /^(\w+) (\w+) (".*")$/.exec(line) ?? [];
    return name === undefined ? [] : [{ tier, project, name: JSON.parse(name) }];
  });
}

/** @param {readonly string[]} list */
function countOf(list) {
  const counts = new Map();
  for (const item of list) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

/** @param {readonly TestName[]} names */
const labels = (names) => names.map(({ project, name }) => `${project}: ${name}`);

/**
 * Returns the names that `after` no longer has, those that are new there, and how many there are of each tier and
 * project. A name that several tests have counts as often; its tier does not matter.
 * @param {readonly TestName[]} before
 * @param {readonly TestName[]} after
 */
export function compareNames(before, after) {
  const [old, now] = [countOf(labels(before)), countOf(labels(after))];
  const more = (one, other) =>
    [...one].flatMap(([label, count]) => Array(Math.max(count - (other.get(label) ?? 0), 0)).fill(label));
  const counts = countOf(after.map(({ tier, project }) => `${tier} ${project}`));
  return { gone: more(old, now), added: more(now, old), counts };
}
