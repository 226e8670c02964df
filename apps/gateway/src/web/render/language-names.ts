/** A language of highlight.js, or of `own-grammars.ts`, and what means it: words that are separated by spaces. */
type Words = readonly (readonly [language: string, words: string])[];

function toMap(words: Words): ReadonlyMap<string, string> {
  return new Map(words.flatMap(([language, all]) => all.split(' ').map((word): [string, string] => [word, language])));
}

/** Languages by whole file names, in lower case but for those that mean something else there. */
export const languagesByName = toMap([
  ['apache', '.htaccess httpd.conf apache2.conf'],
  [
    'bash',
    '.bashrc .bash_aliases .bash_login .bash_logout .bash_profile .profile .zshrc .zshenv .zprofile .zlogin .kshrc ' +
      '.envrc .xinitrc .xsession pkgbuild apkbuild configure gradlew mvnw',
  ],
  ['cmake', 'cmakelists.txt'],
  ['dns', 'named.conf'],
  ['dockerfile', 'dockerfile containerfile'],
  ['go', 'go.mod go.sum go.work'],
  ['groovy', 'jenkinsfile'],
  ['haskell', '.ghci'],
  [
    'ini',
    '.hgrc hgrc mercurial.ini .hgsub .gitconfig .gitmodules .editorconfig .coveragerc .flake8 .pylintrc pylintrc ' +
      '.npmrc .pypirc pip.conf cargo.lock poetry.lock pipfile uv.lock',
  ],
  ['javascript', 'jakefile'],
  [
    'json',
    '.babelrc .bowerrc .eslintrc .jshintrc .prettierrc .stylelintrc .swcrc composer.lock flake.lock deno.lock ' +
      'pipfile.lock',
  ],
  ['lisp', '.emacs .sbclrc'],
  ['makefile', 'makefile gnumakefile kbuild'],
  ['nginx', 'nginx.conf'],
  ['perl', 'cpanfile makefile.pl build.pl .latexmkrc latexmkrc'],
  ['puppet', 'puppetfile'],
  [
    'python',
    'sconstruct sconscript wscript BUILD BUCK WORKSPACE build.bazel workspace.bazel module.bazel tiltfile snakefile',
  ],
  ['r', '.rprofile'],
  [
    'ruby',
    'gemfile rakefile vagrantfile podfile brewfile guardfile capfile fastfile appfile berksfile thorfile dangerfile ' +
      '.irbrc .pryrc',
  ],
  ['vim', '.vimrc vimrc .gvimrc _vimrc .exrc'],
  ['yaml', '.clang-format .clang-tidy .clangd .gemrc yarn.lock .yamllint'],
]);

/** Languages by file extension, for extensions that highlight.js does not know or takes for a rare language. */
export const languagesByEnding = toMap([
  ['actionscript', 'mxml'],
  ['ada', 'adb ads'],
  ['armasm', 's'],
  ['bash', 'bash bats ksh fish ebuild eclass command'],
  ['clojure', 'cljs cljc cljx boot bb'],
  ['coffeescript', 'cjsx'],
  ['cpp', 'c++m cppm cu cuh ipp inl ixx tcc tpp txx'],
  ['crystal', 'cr'],
  ['csharp', 'csx cake'],
  ['d', 'di'],
  ['delphi', 'dpk lpr pp'],
  ['django', 'j2 jinja2'],
  ['dts', 'dtsi'],
  ['elixir', 'heex leex'],
  ['erlang', 'hrl escript'],
  ['fortran', 'f for f77 f03 f08 fpp'],
  ['fsharp', 'fsi fsx'],
  ['glsl', 'vert frag geom comp tesc tese hlsl wgsl'],
  ['groovy', 'gvy gsh'],
  ['handlebars', 'mustache'],
  ['haskell', 'hsc lhs'],
  ['hcl', 'tf tfvars hcl nomad tofu pkr.hcl'],
  ['ini', 'cfg conf cnf service socket timer mount target slice network netdev'],
  ['java', 'jav'],
  ['javascript', 'es es6 jsm gs pac'],
  ['json', 'geojson har ipynb avsc webmanifest jsonld topojson tfstate code-workspace'],
  ['julia', 'jl'],
  ['kotlin', 'gradle.kts'],
  ['latex', 'cls sty ltx dtx bbl'],
  ['lisp', 'el cl lsp asd'],
  ['llvm', 'll'],
  ['lua', 'rockspec'],
  ['makefile', 'mkfile'],
  ['markdown', 'markdown mdown mdx rmd qmd'],
  ['mathematica', 'wls nb'],
  ['objectivec', 'm'],
  ['ocaml', 'mli mll mly'],
  ['perl', 't pod psgi al'],
  ['php', 'phtml php3 php4 php5 php7 phps'],
  ['plaintext', 'log'],
  ['powershell', 'psm1 psd1'],
  ['prolog', 'plt'],
  ['python', 'pyi pyw pyx pxd pxi bzl bazel star sage wsgi smk'],
  ['r', 'rhistory'],
  ['ruby', 'rake ru rabl jbuilder podspec builder'],
  ['scala', 'sc sbt'],
  ['scheme', 'ss sld rkt sps'],
  ['scss', 'sass'],
  ['sql', 'ddl dml psql'],
  ['swift', 'swiftinterface'],
  ['tcl', 'exp itcl'],
  ['verilog', 'vh'],
  ['vhdl', 'vhd'],
  ['vim', 'vimrc'],
  ['wasm', 'wat wast'],
  ['x86asm', 'asm nasm'],
  [
    'xml',
    'vue svelte astro htm xaml csproj fsproj vbproj vcxproj props targets nuspec resx pom wsdl rng rdf owl kml gpx qrc ' +
      'ui dae glade storyboard xib xlf xliff jelly tld',
  ],
  ['yaml', 'sublime-syntax'],
  ['zig', 'zig zon'],
]);

/** Languages by the program that the first line of a script names, without the number of a release. */
const languagesByProgram = toMap([
  ['awk', 'awk gawk mawk nawk'],
  ['bash', 'sh bash dash ash ksh zsh fish bats'],
  ['elixir', 'elixir iex'],
  ['erlang', 'escript'],
  ['groovy', 'groovy'],
  ['haskell', 'runhaskell runghc stack cabal'],
  ['javascript', 'node nodejs bun gjs osascript'],
  ['julia', 'julia'],
  ['kotlin', 'kotlin kotlinc'],
  ['lisp', 'sbcl clisp ecl emacs'],
  ['lua', 'lua luajit'],
  ['makefile', 'make gmake'],
  ['nix', 'nix-shell'],
  ['ocaml', 'ocaml'],
  ['perl', 'perl'],
  ['php', 'php'],
  ['powershell', 'pwsh'],
  ['python', 'python pypy uv scons'],
  ['r', 'Rscript'],
  ['ruby', 'ruby jruby rake'],
  ['scala', 'scala'],
  ['scheme', 'guile racket csi'],
  ['swift', 'swift'],
  ['tcl', 'tclsh wish expect'],
  ['typescript', 'deno tsx ts-node'],
]);

const firstLineMax = 200;

/** Returns the language of a script by the program that its first line, `#!…`, has run it. */
export function languageOfScript(text: string): string | undefined {
  if (!text.startsWith('#!')) return undefined;
  const [line = ''] = text.slice(2, firstLineMax).split(/\r?\n/, 1);
  const words = line.trim().split(/\s+/);
  const isEnv = /(?:^|\/)env$/.test(words[0] ?? '');
  // Options and variables of `env` stand before the program.
  const program = isEnv ? words.slice(1).find((word) => !/^-|=/.test(word)) : words[0];
  const name = program?.slice(program.lastIndexOf('/') + 1).replace(/(?<![\d.-])[\d.-]+$/, '');
  return name === undefined ? undefined : languagesByProgram.get(name);
}
