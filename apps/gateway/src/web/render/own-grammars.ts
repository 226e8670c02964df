import type { HLJSApi, Language } from 'highlight.js';

/** The grammar of HCL, the language of Terraform, which highlight.js lacks. */
export function hcl(hljs: HLJSApi): Language {
  const interpolation = { className: 'subst', begin: /[$%]\{/, end: /\}/, keywords: 'for in if else endif endfor' };
  return {
    name: 'HCL',
    keywords: { keyword: 'for in if else endif endfor', literal: 'true false null' },
    contains: [
      hljs.HASH_COMMENT_MODE,
      hljs.C_LINE_COMMENT_MODE,
      hljs.C_BLOCK_COMMENT_MODE,
      { className: 'string', begin: /"/, end: /"|$/, contains: [hljs.BACKSLASH_ESCAPE, interpolation] },
      hljs.END_SAME_AS_BEGIN({
        className: 'string',
        begin: /<<-?\s*(\w+)/,
        end: /^\s*(\w+)$/,
        contains: [interpolation],
      }),
      { className: 'attr', begin: /^[ \t]*[\w-]+(?=[ \t]*=(?!=))/ },
      { className: 'keyword', begin: /^[ \t]*[a-z][\w-]*(?=[ \t]+["{]|[ \t]*\{)/ },
      { className: 'built_in', begin: /\b[a-z]\w*(?=\()/ },
      { className: 'number', begin: /\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b/ },
    ],
  };
}

/** The grammar of Zig, which highlight.js lacks. */
export function zig(hljs: HLJSApi): Language {
  return {
    name: 'Zig',
    keywords: {
      $pattern: /@?\w+/,
      keyword:
        'addrspace align allowzero and anyframe asm async await break callconv catch comptime const continue defer else ' +
        'enum errdefer error export extern fn for if inline linksection noalias noinline nosuspend opaque or orelse packed ' +
        'pub resume return struct suspend switch test threadlocal try union unreachable usingnamespace var volatile while',
      literal: 'true false null undefined',
      type:
        'anyerror anyopaque anytype bool comptime_float comptime_int f16 f32 f64 f80 f128 i8 i16 i32 i64 i128 isize ' +
        'noreturn type u8 u16 u32 u64 u128 usize void',
    },
    contains: [
      hljs.C_LINE_COMMENT_MODE,
      { className: 'string', begin: /\\\\/, end: /$/ },
      { className: 'string', begin: /c?"/, end: /"|$/, contains: [hljs.BACKSLASH_ESCAPE] },
      { className: 'string', begin: /'(?:[^'\\\n]|\\.[^'\n]*)'/ },
      { className: 'built_in', begin: /@[a-zA-Z]\w*/ },
      { begin: [/\bfn/, /[ \t]+/, /\w+/], beginScope: { 1: 'keyword', 3: 'title.function' } },
      { className: 'number', begin: /\b0(?:x[\da-fA-F_.]+(?:[pP][+-]?\d+)?|o[0-7_]+|b[01_]+)\b/ },
      { className: 'number', begin: /\b\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?\b/ },
    ],
  };
}
