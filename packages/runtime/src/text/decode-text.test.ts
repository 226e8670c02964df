import iconv from 'iconv-lite';
import { afterEach, describe, expect, it } from 'vitest';
import {
  decodeAs,
  decodeText,
  encodingOf,
  isTextEncoding,
  setTextEncodings,
  textEncodingsDefault,
  withoutCutCharacter,
} from './decode-text.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** Longer texts, of which the encoding can be guessed. */
const texts = [
  ['GB18030', '增加对中文文件名的支持，并修复若干错误。'],
  ['Big5', '增加對中文檔名的支援，並修正若干錯誤。'],
  ['Shift_JIS', '日本語ファイル名のサポートを追加しました。'],
  ['EUC-JP', '日本語ファイル名のサポートを追加しました。'],
  ['EUC-KR', '한글 파일 이름 지원을 추가하고 오류를 수정했습니다.'],
  ['windows-1251', 'Добавлена поддержка имён файлов, исправлены ошибки в коде и в документации'],
  ['KOI8-R', 'Добавлена поддержка имён файлов, исправлены ошибки в коде и в документации'],
] as const;

afterEach(() => setTextEncodings(textEncodingsDefault.split(',')));

describe('encodingOf', () => {
  it.each([
    ['UTF-8', '\xef\xbb\xbfcaf\xc3\xa9'],
    ['UTF-16LE', '\xff\xfec\0a\0f\0\xe9\0'],
    ['UTF-16BE', '\xfe\xff\0c\0a\0f\0\xe9'],
    ['UTF-32LE', '\xff\xfe\0\0c\0\0\0a\0\0\0f\0\0\0\xe9\0\0\0'],
    ['UTF-32BE', '\0\0\xfe\xff\0\0\0c\0\0\0a\0\0\0f\0\0\0\xe9'],
  ])('is that of a byte order mark, which is no part of the text: %s', (encoding, bytes) => {
    expect(encodingOf(latin1(bytes))).toBe(encoding);
    expect(decodeText(latin1(bytes))).toBe('café');
  });

  it('is UTF-8 for UTF-8, windows-1252 for short text in Latin-1', () => {
    expect(encodingOf(Buffer.from('café 中'))).toBe('UTF-8');
    expect(encodingOf(Buffer.alloc(0))).toBe('UTF-8');
    expect(encodingOf(latin1('caf\xe9'))).toBe('windows-1252');
    expect(decodeText(latin1('caf\xe9 \x80'))).toBe('café €');
  });

  it.each(texts)('is guessed for a text in %s', (encoding, text) => {
    const bytes = iconv.encode(text, encoding);
    expect(encodingOf(bytes)).toBe(encoding);
    expect(decodeText(bytes)).toBe(text);
    // Code around it does not hide it.
    const code = Buffer.concat([Buffer.from('int f(void);\n'.repeat(500)), bytes, Buffer.from('\nint g(void);\n')]);
    expect(decodeText(code)).toContain(`\n${text}\n`);
  });

  it.each([
    'Corrige le problème de démarrage, déjà signalé à plusieurs reprises après la mise à jour de février',
    'Fehler behoben: Übergabe der Schlüssel für größere Dateien, Prüfung der Länge und Rückgabewerte hinzugefügt',
    'Añadida la opción de búsqueda; corrección de la función de acceso según la última versión en español, más rápida',
    'Lägger till stöd för åäö, rättar fel vid inläsning på äldre datorer och gör återställning möjlig även då',
  ])('is a Latin one for long text in Latin-1: %s', (text) => {
    expect(encodingOf(latin1(text))).toMatch(/^(?:ISO-8859-1|windows-1252)$/);
    expect(decodeText(latin1(text))).toBe(text);
  });

  it('is the first of those that are configured in which the text has no error, else the last one', () => {
    setTextEncodings(['gbk', 'koi8-r']);
    expect(decodeText(iconv.encode('中', 'gbk'))).toBe('中');
    expect(decodeText(latin1('\xc2 \xff'))).toBe('б Ъ');
    setTextEncodings(['gbk']);
    expect(decodeText(latin1('a\xff'))).toBe('a\ufffd');
    setTextEncodings(['chardet']);
    expect(decodeText(latin1('caf\xe9'))).toBe('caf\ufffd');
  });

  it('looks for it in the beginning of a long text alone, which may end within a character', () => {
    setTextEncodings(['shift_jis', 'windows-1252']);
    const text = iconv.encode(`a${'日'.repeat(100_000)}`, 'shift_jis');
    expect(encodingOf(Buffer.concat([Buffer.from('line\n'), text, latin1('\n\xff')]))).toBe('shift_jis');
    expect(encodingOf(Buffer.concat([latin1('\xa0\n'), text]))).toBe('windows-1252');
  });

  it('is the declared one if the text has no error in it, whatever else the text may be', () => {
    expect(decodeText(Buffer.from('é'), 'latin-1')).toBe('Ã©');
    expect(decodeText(latin1('\x1b$BF|\x1b(B'), 'ISO-2022-JP')).toBe('日');
    expect(decodeText(Buffer.from('é'), 'ascii')).toBe('é');
    expect(decodeText(latin1('\xe9'), 'utf-8')).toBe('é');
    expect(decodeText(Buffer.from('é'), 'nonsense')).toBe('é');
  });
});

describe('decodeAs', () => {
  it('A7 gives well-formed text, whatever the bytes are', () => {
    expect(decodeAs(latin1('\xff\xfe\x00\xd8a\0'), 'UTF-16LE')).toBe('\ufffda');
    expect(JSON.parse(JSON.stringify(decodeText(latin1('+2AA-'), 'utf-7')))).toBe('\ufffd');
  });
});

describe('isTextEncoding', () => {
  it.each(['windows-1252', 'latin1', 'GBK', 'CP850', 'iso-2022-jp', 'chardet', 'utf-8'])('takes %s', (name) => {
    expect(isTextEncoding(name)).toBe(true);
  });

  it.each(['', 'nonsense', 'UTF-16', 'utf-16le', 'hex', 'base64', 'constructor', '__proto__', 'cp037', 'x'.repeat(65)])(
    'refuses %j, which is none or reads ASCII otherwise',
    (name) => {
      expect(isTextEncoding(name)).toBe(false);
    },
  );
});

describe('withoutCutCharacter', () => {
  it.each([
    ['café', 'café'],
    ['caf\ufffd', 'caf'],
    ['', ''],
    ['a', 'a'],
  ])('%j', (text, kept) => {
    const cut = text.endsWith('\ufffd') ? Buffer.concat([Buffer.from('caf'), Buffer.of(0xc3)]) : Buffer.from(text);
    expect(Buffer.from(withoutCutCharacter(cut)).toString()).toBe(kept);
  });

  it('cuts no character of a text that ends anywhere', () => {
    const bytes = Buffer.from('a日é\u{1f480}b');
    const whole = Array.from({ length: bytes.length + 1 }, (_, end) => {
      return Buffer.from(withoutCutCharacter(bytes.subarray(0, end))).toString();
    });
    expect(whole.filter((text) => text.includes('\ufffd'))).toEqual([]);
    expect(whole.at(-1)).toBe('a日é\u{1f480}b');
  });
});
