import { uniqueAscii } from '../../harness/unique-name.ts';

/** A class of the characters that names may have; a name of the class begins and ends with them. */
export interface NameClass {
  readonly title: string;
  readonly lead: string;
  readonly tail: string;
}

export const nameClasses: readonly NameClass[] = [
  { title: 'Lu', lead: 'ÄЖΣ', tail: 'İẞ' },
  { title: 'Ll', lead: 'éжß', tail: 'ıſς' },
  { title: 'Lt', lead: 'ǅ', tail: 'ǲᾼ' },
  { title: 'Lm', lead: 'ʰ', tail: 'ーـ' },
  { title: 'Lo', lead: 'プロジェクト한글', tail: '語ªไทย' },
  { title: 'Lo, right to left', lead: 'שלום', tail: 'مرحبا' },
  { title: 'Mn', lead: 'm̄q̣̇', tail: 'x̱\ufe0f' },
  { title: 'Mc', lead: 'की', tail: 'மொ' },
  { title: 'Me', lead: 'a⃝', tail: '3⃣' },
  { title: 'Nd', lead: '٤४', tail: '７෧' },
  { title: 'Lu and Ll, astral', lead: '𐐀𝒜', tail: '𐐨𝔞' },
  { title: 'Lo, astral', lead: '𠮷', tail: '𪚥' },
  { title: 'Lu and Ll, astral, right to left', lead: '𞤀', tail: '𞤢' },
  { title: 'Mn, astral', lead: 'x𐨁', tail: 'x\u{e0100}' },
  { title: 'Nd, astral', lead: '𝟘', tail: '𞥐' },
  { title: '.', lead: 'a.b.', tail: '.ü' },
  { title: '_', lead: '__', tail: '__' },
  { title: '-', lead: 'a--', tail: '--' },
];

/** Characters of each class in one name, few enough for pages to show the name whole. */
export const mixedClass: NameClass = { title: 'all classes', lead: 'Äжǅʰプשm̄कीa⃝٤𐐀𠮷𞤀x𐨁𝟘.b_-', tail: 'ß.語ع_𐐷𞤢m̄-' };

interface MadeName {
  readonly name: string;
  /** The part of the name in the middle, which nothing else has. */
  readonly middle: string;
}

/** The names of one class, by the ASCII word that each has in its middle. */
export class NamesOfClass {
  readonly #made = new Map<string, MadeName>();
  readonly #seen = new Set<string>();
  readonly #class: NameClass;

  constructor(nameClass: NameClass) {
    this.#class = nameClass;
  }

  /** Returns the name for a word, the same one each time. */
  of(word: string): string {
    const made = this.#made.get(word) ?? this.#make(word);
    this.#made.set(word, made);
    return made.name;
  }

  #make(word: string): MadeName {
    const { lead, tail } = this.#class;
    const middle = uniqueAscii(word);
    return { middle, name: `${lead}${middle}${tail}` };
  }

  /**
   * Returns what a text shows of names in any other way than whole: as they were sent, or percent-encoded. Names that it
   * has whole are taken to be seen.
   */
  brokenIn(text: string): string[] {
    return [...this.#made].flatMap(([word, { name, middle }]) => {
      const rest = text.replaceAll(name, '').replaceAll(encodeURIComponent(name), '');
      if (rest.length < text.length) this.#seen.add(word);
      const at = rest.indexOf(middle);
      return at < 0 ? [] : [rest.slice(Math.max(at - 60, 0), at + 60)];
    });
  }

  /** Returns the words whose names no text had. */
  get unseen(): string[] {
    return [...this.#made.keys()].filter((word) => !this.#seen.has(word));
  }
}
