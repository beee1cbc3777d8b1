/**
 * Spellings of a path by which a request could slip past a rule for it: what some proxy, framework or
 * file system takes for the path, or what a careless check takes for another one. Each is the target of
 * a request line, with one character for each byte (`latin1`): some have bytes that HTTP does not allow.
 */
export interface SpellingOptions {
  /** A path that anyone may have, above which spellings climb. */
  readonly open?: string
  /** The host of spellings in absolute form. */
  readonly host?: string
}

/** At least 1,000 spellings of a path of two segments or more, each once and without the path itself. */
export function spellingsOf(
  path: string,
  { open = '/public', host = 'app.example.org' }: SpellingOptions = {},
): readonly string[] {
  const all = new Set([
    ...letters(path),
    ...cases(path),
    ...slashes(path),
    ...segments(path),
    ...detours(path, open),
    ...ends(path),
    ...inserted(path),
    ...absoluteForms(path, host),
  ])
  all.delete(path)
  return [...all]
}

/** How a character other than a slash can be written in place of itself. */
const disguises: readonly ((character: string) => string)[] = [
  (one) => encoded(one),
  (one) => encoded(one).toLowerCase(),
  (one) => encoded(encoded(one)),
  (one) => encoded(encoded(encoded(one))),
  (one) => `%25${encoded(one).slice(1)}`,
  (one) => `%2525${encoded(one).slice(1)}`,
  (one) => `%u00${encoded(one).slice(1)}`,
  (one) => overlong(one),
  (one) => fullWidth(one),
  (one) => encoded(overlong(one)),
  (one) => encoded(fullWidth(one)),
]

function letters(path: string): string[] {
  const whole = (change: (one: string) => string) => path.replace(/[^/]/g, change)
  return [
    ...disguises.map(whole),
    ...disguises.map((change) => whole((one) => change(one)).replace(/\/(?!$)/g, '//')),
    ...placesOf(path).flatMap((at) => (path[at] === '/' ? [] : disguises.map(atOnly(path, at)))),
    // Every second character, so that no decoder that stops at the first one sees all.
    ...disguises.map((change) =>
      [...path].map((one, at) => (one === '/' || at % 2 === 0 ? one : change(one))).join(''),
    ),
  ]
}

function atOnly(path: string, at: number) {
  return (change: (one: string) => string) =>
    path.slice(0, at) + change(path[at] ?? '') + path.slice(at + 1)
}

function cases(path: string): string[] {
  const upper = placesOf(path).map((at) => atOnly(path, at)((one) => one.toUpperCase()))
  const mixed = [...path].map((one, at) => (at % 2 === 0 ? one : one.toUpperCase())).join('')
  return [
    path.toUpperCase(),
    mixed,
    path.replace(/(?<=\/)./g, (one) => one.toUpperCase()),
    ...upper,
    ...upper.map((one) => one.replace(/[A-Z]/, (letter) => encoded(letter))),
    path.replace('s', '%C5%BF'), // the long s, whose capital is S
    path.replace('i', '%C4%B1'), // the i without a dot, whose capital is I
    path.replace('k', '%E2%84%AA'), // the sign of Kelvin, whose small letter is k
  ]
}

/** What some take for a slash between segments. */
const slashForms = [
  ...[
    '//',
    '///',
    '/./',
    '/.//',
    '/%2e/',
    '/%2E/',
    '/%252e/',
    '/./././',
    '\\',
    '\\\\',
    '/\\',
    '\\/',
  ],
  ...['%2f', '%2F', '%252f', '%252F', '%25252f', '%5c', '%5C', '%255c', '%2f%2f', '/%2f', '%2f/'],
  ...['%c0%af', '%C0%AF', '%c1%9c', '%e0%80%af', '%f0%80%80%af', '%f8%80%80%80%af', '%c0%2f'],
  ...['%25c0%25af', '%u002f', '%u005c', '%u2215', '%uff0f', '%uFF3C', '%ef%bc%8f', '%ef%bc%bc'],
  ...[
    '%e2%88%95',
    '%e2%81%84',
    '%e2%a7%b8',
    '%c2%a5',
    '%25ef%25bc%258f',
    '\xef\xbc\x8f',
    '\xc0\xaf',
  ],
  ...[';/', ';a=b/', ';/;/', '/;/', '/;a=b/', '%3b/', '%3B/', '%253b/', ';%2f', '/.;/', '/%2e;/'],
  ...[
    '/x/../',
    '/x/%2e%2e/',
    '/x/..;/',
    '/x/.%2e/',
    '/x%2f..%2f',
    '/x/..%2f',
    '/x\\..\\',
    '/x//../../',
  ],
  ...['./', '%2e/', '/%20/../', ' /', '%20/', '.%20/', '%20./', '../x/../', '::$DATA/'],
  ...['\t/', '%09/', '/%09', '%0a/', '%0d%0a/', '%00/', '/%00', '\0/', '%2500/'],
]

function slashes(path: string): string[] {
  const places = placesOf(path).filter((at) => path[at] === '/')
  const usual = slashForms.filter((form) => !/^(?:\.|%2e|::|%20|[ \t\0]|%0[09ad]|%2500)/.test(form))
  return [
    ...places.flatMap((at) =>
      // What stands at the end of a segment has nothing to stand at before the first.
      (at === 0 ? usual : slashForms).map((form) => path.slice(0, at) + form + path.slice(at + 1)),
    ),
    ...slashForms.map((form) => `/${path.slice(1).replaceAll('/', form)}`),
  ].map((one) => (/^[/\\]/.test(one) ? one : `/${one}`))
}

/** Each segment with something that some drop. */
function segments(path: string): string[] {
  const names = path.split('/').slice(1)
  const dropped = [';', ';x', ';x=y', ';x=y;z', ';jsessionid=1', '%3b', '%3bx', '.', '..', '...']
  const blank = ['%20', '%20%20', ' ']
  const ended = [...dropped, ...blank, '.%20', '%20.', '::$DATA', '::$INDEX_ALLOCATION']
  return names.flatMap((_, at) => [
    ...ended.map((end) => joined(names, at, (name) => name + end)),
    ...blank.map((start) => joined(names, at, (name) => start + name)),
  ])
}

function joined(names: readonly string[], at: number, change: (name: string) => string): string {
  return `/${names.map((name, index) => (index === at ? change(name) : name)).join('/')}`
}

const climbs = [
  ...[
    '..',
    '%2e%2e',
    '%2E%2E',
    '.%2e',
    '%2e.',
    '%252e%252e',
    '%25252e%25252e',
    '..;',
    '..;x=y',
    '%2e%2e;',
  ],
  ...['..%00', '..%20', '%c0%ae%c0%ae', '%e0%80%ae%e0%80%ae', '%ef%bc%8e%ef%bc%8e', '%e2%80%a5'],
  ...[
    '..%09',
    '.%0a.',
    '%uff0e%uff0e',
    '%u002e%u002e',
    '%25c0%25ae%25c0%25ae',
    '.;/..',
    './..',
    '..%3b',
  ],
]
const separators = [
  ...[
    '/',
    '//',
    '\\',
    '%2f',
    '%2F',
    '%5c',
    '%252f',
    '%c0%af',
    '%ef%bc%8f',
    '/./',
    ';/',
    '%255c',
    '%u2215',
  ],
]

/** From an open path down to the root and up again. */
function detours(path: string, open: string): string[] {
  return climbs.flatMap((climb) =>
    separators.flatMap((separator) => [
      `${open}${separator}${climb}${separator}${path.slice(1)}`,
      `${open}/x${separator}${climb}${separator}${climb}${path}`,
      `${open}/${climb}${separator}${path.slice(1).replaceAll('/', separator)}`,
    ]),
  )
}

function ends(path: string): string[] {
  const last = path.slice(path.lastIndexOf('/'))
  return [
    ...['/', '//', '/.', '/./', '/%2e', '/x/..', '/x/%2e%2e', '/x/..;/', '/x/../', `/..${last}`],
    ...[`/..;${last}`, `/%2e%2e${last}`, `/x/../..${last}`, '%2f', '%2f%2f', '%5c', '\\', '%c0%af'],
    ...[
      '?',
      '?x',
      '?/../public',
      '%3f',
      '%3fx',
      '%3F/public',
      '%253f',
      '#',
      '#x',
      '%23',
      '%23x',
      '%2523',
    ],
    ...[
      '%00',
      '%00.html',
      '%00/public',
      '%2500',
      '\0',
      '\0.html',
      '\t',
      ' ',
      '%0a',
      '%0d',
      '%0d%0a',
      '%09',
    ],
    ...['\x80', '\xff', '%ff', '%80', '%c2', '%7f', '%1f', '%', '%2', '%zz', '%u', '%u00'],
  ].map((end) => path + end)
}

/** Something within that some remove before they look. */
function inserted(path: string): string[] {
  const removed = ['\t', '\r', '\n', '%09', '%0d', '%0a', '%00', '\0', '%7f', '%08'].concat(
    '%E2%80%8B',
    '%E2%80%8C',
    '%C2%AD',
    '%EF%BB%BF',
  )
  return placesOf(path)
    .filter((at) => at > 0)
    .flatMap((at) => removed.map((one) => path.slice(0, at) + one + path.slice(at)))
}

function absoluteForms(path: string, host: string): string[] {
  const starts = [
    ...[
      `http://${host}`,
      `https://${host}`,
      `HTTP://${host}`,
      `http://user@${host}`,
      `http://${host}:80`,
    ],
    ...['http://localhost', `//${host}`, `///${host}`, `/\\${host}`, `\\\\${host}`, `/%5c${host}`],
    ...[
      `/%2f${host}`,
      `/\t/${host}`,
      `//user@${host}:1`,
      'http:',
      'https:',
      'http:/',
      'file://',
      '*',
    ],
    ...['.', './', '..', '../', '/..', '/../..', '/.', '/%2e%2e', '/..;', '/;', '/;x', ''],
  ]
  return starts.map((start) => (start === '' ? path.slice(1) : start + path))
}

function encoded(text: string): string {
  return [...text]
    .map((one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`)
    .join('')
}

/** A character of ASCII as two bytes of UTF-8, which no encoder makes. */
function overlong(character: string): string {
  const code = character.charCodeAt(0)
  return encoded(String.fromCharCode(0xc0 | (code >> 6), 0x80 | (code & 0x3f)))
}

/** The full-width form of a character of ASCII, in UTF-8. */
function fullWidth(character: string): string {
  const wide = String.fromCharCode(character.charCodeAt(0) - 0x21 + 0xff01)
  return encoded(Buffer.from(wide, 'utf8').toString('latin1'))
}

function placesOf(text: string): number[] {
  return Array.from(text, (_, at) => at)
}
