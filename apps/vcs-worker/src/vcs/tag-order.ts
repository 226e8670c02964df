/** A tag, and when what it names was made, in milliseconds since 1970. */
interface DatedTag {
  readonly name: string;
  readonly time: number;
}

/** A version in the name of a tag, such as `v1.10-rc2`. */
interface Version {
  /** What stands before the numbers, without words such as `v`: versions of one series are compared with each other. */
  readonly series: string;
  readonly numbers: readonly string[];
  /** What stands behind the numbers, in parts that are numbers or have none. */
  readonly rest: readonly string[];
  readonly isPreRelease: boolean;
}

const versionWords = /(^|[^a-z])(?:v|ver|version|r|rel|release)[-._]?$/;
const preRelease =
  /^[-._~+]?(?:[abcm](?=[-.]?\d)|alpha|beta|cr|rc|pre|preview|dev|snapshot|milestone|nightly|canary|next|test)(?![a-z])/;
/** A longer name is no version: sorting as many tags as a repository may have takes no long turn of the event loop. */
const nameCharsMax = 64;

/** Returns the version in the last segment of a tag's name; null for a name without one. */
function parseVersion(name: string): Version | null {
  const directory = name.slice(0, name.lastIndexOf('/') + 1);
  const segment = name.slice(directory.length).toLowerCase();
  const [, before, digits, rest] = /^(\D*)(\d+(?:[._]\d+)*)(.*)$/s.exec(segment) ?? [];
  if (before === undefined || digits === undefined || rest === undefined || name.length > nameCharsMax) return null;
  const numbers = digits.split(/[._]/).map(withoutZeros);
  // Semantic versions have three numbers; with a hyphen and a letter behind them they come before the release.
  const isSemantic = numbers.length === 3 && /^-[a-z]/.test(rest);
  const series = directory + before.replace(versionWords, '$1');
  const isPreRelease = isSemantic || preRelease.test(rest);
  const behind = isPreRelease ? rest.replace(/^[-._~+]/, '') : rest;
  return { series, numbers, rest: behind.match(/\d+|\D+/g) ?? [], isPreRelease };
}

const withoutZeros = (digits: string) => digits.replace(/^0+(?=\d)/, '');

/** Compares two whole numbers of any length, without zeros before them. */
function compareNumbers(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** Compares texts in parts, of which numbers count as such. */
function compareParts(parts: readonly string[], others: readonly string[]): number {
  for (const [index, part] of parts.entries()) {
    const other = others[index];
    if (other === undefined) return 1;
    if (part === other) continue;
    const areNumbers = /^\d/.test(part) && /^\d/.test(other);
    const difference = areNumbers ? compareNumbers(withoutZeros(part), withoutZeros(other)) : 0;
    return difference || (part < other ? -1 : 1);
  }
  return parts.length - others.length;
}

function compareVersions(a: Version, b: Version): number {
  for (let index = 0; index < Math.max(a.numbers.length, b.numbers.length); index += 1) {
    const difference = compareNumbers(a.numbers[index] ?? '0', b.numbers[index] ?? '0');
    if (difference !== 0) return difference;
  }
  return Number(b.isPreRelease) - Number(a.isPreRelease) || compareParts(a.rest, b.rest);
}

interface Placed<T> {
  readonly tag: T;
  readonly version: Version | null;
  /** The time by which the tag stands among those of other series. */
  time: number;
  /** The position in its series, the newest version first. */
  rank: number;
}

/** Gives the versions of a series their ranks, and each the time of the youngest one that is not above it. */
function placeVersions<T extends DatedTag>(members: readonly Placed<T>[]): void {
  const oldestFirst = members.toSorted(
    (a, b) => (a.version && b.version ? compareVersions(a.version, b.version) : 0) || byName(a.tag, b.tag),
  );
  let youngest = -Infinity;
  for (const [index, member] of oldestFirst.entries()) {
    youngest = Math.max(youngest, member.time);
    member.time = youngest;
    member.rank = oldestFirst.length - index;
  }
}

function byText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function byName(a: DatedTag, b: DatedTag): number {
  return byText(a.name, b.name);
}

/**
 * Sorts tags, the newest first: those of one series by their versions, whatever their dates; series, and names without a
 * version, among each other by date. A version counts as young as the youngest one below it.
 */
export function sortTags<T extends DatedTag>(tags: readonly T[]): T[] {
  const placed: Placed<T>[] = tags.map((tag) => ({ tag, version: parseVersion(tag.name), time: tag.time, rank: 0 }));
  const series = new Map<string, Placed<T>[]>();
  for (const one of placed) {
    if (!one.version) continue;
    const members = series.get(one.version.series);
    if (members) members.push(one);
    else series.set(one.version.series, [one]);
  }
  for (const members of series.values()) placeVersions(members);
  const seriesOf = ({ version }: Placed<T>) => version?.series ?? '';
  return placed
    .toSorted((a, b) => b.time - a.time || byText(seriesOf(a), seriesOf(b)) || a.rank - b.rank || byName(a.tag, b.tag))
    .map(({ tag }) => tag);
}
