import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const families = { 'sans-serif': 'DejaVu Sans', serif: 'DejaVu Serif', monospace: 'DejaVu Sans Mono' };

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/**
 * Writes `fonts.conf` into an unpacked tree, by which fontconfig uses the tree's fonts only, so that pages look alike
 * on every machine; returns the path of the file once the tree is renamed to `target`.
 */
export function writeFontsConfig(tree, target) {
  const aliases = Object.entries(families).map(
    ([family, font]) =>
      `  <alias binding="same"><family>${family}</family><prefer><family>${font}</family></prefer></alias>`,
  );
  const lines = [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">',
    '<fontconfig>',
    `  <dir>${escape(join(target, 'usr/share/fonts'))}</dir>`,
    `  <cachedir>${escape(join(target, 'fonts-cache'))}</cachedir>`,
    ...aliases,
    '</fontconfig>',
    '',
  ];
  writeFileSync(join(tree, 'fonts.conf'), lines.join('\n'));
  return join(target, 'fonts.conf');
}
