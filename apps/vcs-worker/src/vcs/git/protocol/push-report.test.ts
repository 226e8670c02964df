import { describe, expect, it } from 'vitest';
import { PushRefusedError, PushTooLargeError } from '../../push.ts';
import { pushReport as piecesOf } from './push-report.ts';

const change = (name: string) => ({ name, from: null, to: '1'.repeat(40) });
const list = (names: readonly string[], ...words: string[]) => ({
  changes: names.map(change),
  capabilities: new Set(words),
  isWhole: true,
  options: { count: 0, bytes: 0 },
});

const pushReport = (...args: Parameters<typeof piecesOf>) => Buffer.concat([...piecesOf(...args)]);

describe('pushReport', () => {
  it('reports in lines, or in the side band', () => {
    const plain = '000eunpack ok\n0014ok refs/heads/a\n0000';
    expect(pushReport(list(['refs/heads/a'], 'report-status'), null).toString()).toBe(plain);
    const side = pushReport(list(['refs/heads/a'], 'report-status-v2', 'side-band-64k'), null).toString();
    expect(side).toBe(`${(plain.length + 5).toString(16).padStart(4, '0')}\x01${plain}0000`);
  });

  it('names the reason of each reference', () => {
    const names = ['refs/heads/a', 'refs/heads/b'];
    const report = (refusal: PushRefusedError) => pushReport(list(names, 'report-status'), refusal).toString();
    expect(report(new PushRefusedError('no'))).toContain('ng refs/heads/a no\n');
    const ofOne = report(new PushRefusedError('no', { reasons: new Map([['refs/heads/a', 'never']]) }));
    expect(ofOne).toContain('ng refs/heads/a never\n');
    expect(ofOne).toContain('ng refs/heads/b another reference of this push was refused\n');
  });

  it('E9 is one line, whatever the text', () => {
    const report = pushReport(
      list(['refs/heads/a'], 'report-status'),
      new PushRefusedError(`a\n\x1b[31mb${'c'.repeat(9_000)}`),
    );
    expect(report.toString()).toContain('ng refs/heads/a a [31mb');
    expect(report.length).toBeLessThan(500);
  });

  it('tells once, and where texts can be told, that options have no effect', () => {
    const told = '\x02Push options have no effect here\n';
    const withOptions = (...words: string[]) => ({
      ...list(['refs/heads/a'], 'report-status', ...words),
      options: { count: 2, bytes: 9 },
    });
    const report = pushReport(withOptions('side-band-64k'), null).toString();
    expect(report.split(told)).toHaveLength(2);
    expect(report).toContain('ok refs/heads/a\n');
    expect(pushReport(withOptions(), null).toString()).not.toContain(told);
    expect(pushReport(list(['refs/heads/a'], 'report-status', 'side-band-64k'), null).toString()).not.toContain(told);
  });

  it('splits a long report into packets', () => {
    const names = Array.from({ length: 5_000 }, (_, at) => `refs/heads/${at}`);
    const report = pushReport(list(names, 'report-status', 'side-band-64k'), null);
    const sizes: number[] = [];
    for (let at = 0; at < report.length - 4; at += sizes.at(-1) ?? 0) {
      sizes.push(Number.parseInt(report.toString('latin1', at, at + 4), 16));
      expect(report[at + 4]).toBe(1);
    }
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBe(65_520);
  });

  it('shows before the report that a push is too large, since its client may not come to the report', () => {
    const refusal = new PushTooLargeError(1_000);
    const changes = ['refs/heads/a'];
    const [, told = '', reported = ''] = pushReport(list(changes, 'report-status', 'side-band-64k'), refusal)
      .toString()
      .split(/^(.*\n)/);
    expect(told.slice(4)).toBe(`\x02${refusal.message}\n`);
    expect(reported).toContain('ng refs/heads/a the push is larger than 1000 bytes: ');
    expect(pushReport(list(changes, 'report-status'), refusal).toString()).not.toContain('\x02');
  });

  it('A4 names as many refused references as fit into a megabyte, those with a reason first, and counts the others', () => {
    const names = Array.from({ length: 50_000 }, (_, at) => `refs/heads/${'x'.repeat(250)}/${at}`);
    const last = names.at(-1) ?? '';
    const refusal = new PushRefusedError(`${last}: never`, { reasons: new Map([[last, 'never']]) });
    const report = pushReport(list(names, 'report-status', 'side-band-64k'), refusal);
    expect(report.length).toBeLessThan(1.2 * 1024 * 1024);
    const [, told = '', lines = ''] = report.toString('latin1').split(/^(.*\n)/);
    const named = lines.split('\n').filter((line) => line.includes('ng refs/heads/')).length;
    expect(lines).toMatch(/^.{5}000eunpack ok\n.{4}ng refs\/heads\/x{250}\/49999 never\n/);
    expect(told.slice(4)).toBe(`\x02${50_000 - named} more references were refused: ${last}: never\n`);
    const plain = pushReport(list(names, 'report-status'), new PushRefusedError('no')).toString();
    expect(plain.length).toBeLessThan(1.2 * 1024 * 1024);
    expect(plain).toMatch(/^000eunpack ok\n.{4}ng refs\/heads\/x{250}\/0 no\n[^]*\n0000$/);
  });

  it('leaves out a name for whose line no packet is long enough', () => {
    const names = [`refs/heads/${'x'.repeat(65_450)}`, 'refs/heads/a'];
    const report = pushReport(list(names, 'report-status'), new PushRefusedError('no'.repeat(100))).toString();
    expect(report).toMatch(/^000eunpack ok\n.{4}ng refs\/heads\/a (?:no){100}\n0000$/);
  });

  it('A4 names each reference that was changed, in pieces of 64 KB at most', () => {
    const names = Array.from({ length: 50_000 }, (_, at) => `refs/heads/${'x'.repeat(30)}/${at}`);
    const pieces = [...piecesOf(list(names, 'report-status', 'side-band-64k'), null)];
    expect(Math.max(...pieces.map(({ length }) => length))).toBe(65_520);
    const report = Buffer.concat(pieces.map((piece) => piece.subarray(5))).toString();
    expect(report.match(/ok refs\/heads\//g)).toHaveLength(50_000);
  });

  it('says what is wrong to a client that wants no report', () => {
    expect(pushReport(list(['refs/heads/a']), null).toString()).toBe('');
    expect(pushReport(list(['refs/heads/a']), new PushRefusedError('no')).toString()).toBe('000aERR no');
  });
});
