/**
 * Spellings of a path that some URL parser reads as the path itself, each as a request target.
 * `reach` holds paths that lead to it by detours through routes that are open to more callers.
 */
export function spellingsOf(path: string): string[] {
  const segments = path.slice(1).split('/')
  const found = new Set<string>([path])

  // In place of one slash, of every slash, and of the last one.
  for (const separator of separators) {
    found.add(segments.map((segment) => separator + segment).join(''))
    for (const at of segments.keys()) found.add(joined(segments, at, separator))
  }
  // Each letter of the path in its other forms.
  for (const [at, letter] of [...path].entries()) {
    if (letter === '/') continue
    for (const form of letterForms(letter)) {
      found.add(path.slice(0, at) + form + path.slice(at + 1))
    }
  }
  // Each segment, and the whole of it, encoded or in other case.
  for (const change of [encoded, doubleEncoded, upper, capital, (text: string) => `${text}.`]) {
    found.add(`/${segments.map(change).join('/')}`)
    for (const at of segments.keys()) {
      found.add(`/${segments.map((text, index) => (index === at ? change(text) : text)).join('/')}`)
    }
  }
  for (const suffix of suffixes) found.add(path + suffix)
  for (const [at] of segments.entries()) {
    const head = `/${segments.slice(0, at + 1).join('/')}`
    const tail = segments.slice(at + 1).map((segment) => `/${segment}`)
    for (const matrix of matrixParameters) found.add(head + matrix + tail.join(''))
  }
  for (const detour of detours) {
    for (const up of ups) {
      const depth = detour.split('/').length - 1
      found.add(`${detour}${up.repeat(depth)}${path}`)
      if (path.startsWith('/api/')) found.add(`/api/public${up}${path.slice('/api'.length)}`)
    }
  }
  for (const authority of authorities) {
    found.add(authority + path)
    for (const suffix of ['/', '//', '?x', '/.', '%2f', ';x=1']) {
      found.add(authority + path + suffix)
    }
  }
  for (const prefix of ['/api/v1', '/api/v2', '/v1', '/api', '/api/public', '/api/user']) {
    found.add(prefix + path)
    found.add(`${prefix}/..${path}`)
    if (path.startsWith('/api/')) found.add(prefix + path.slice('/api'.length))
  }
  return [...found]
}

const separators = [
  ...['//', '///', '/./', '/.//', '/././', '/%2e/', '/%2E/', '/%252e/', '/x/../', '/x/%2e%2e/'],
  ...['/x/..%2f', '/..;/', '/.;/', '/;/', '/;x=1/', ';/', ';x=1/', '\\', '/\\', '\\/', '\\\\'],
  ...['%2f', '%2F', '/%2f', '%2f/', '%252f', '%25252f', '%5c', '%5C', '/%5c', '%255c', '%c0%af'],
  ...['%e0%80%af', '%u2215', '%ef%bc%8f', '%e2%88%95', '/%00/', '%00/', '/%20/', '%20/', '/%09/'],
  ...['%0d%0a/', '%0a/', '/%0b', '/%7f', '/%c2%a0', '/%e2%80%8b', '/%ef%bb%bf', '/~/', '/*/'],
  ...['#/', '/#/', '?/', '/?/', '&/', '%23/', '%3f/', '%26/', ':/', '/:/', '|/', '/%zz/', '%'],
]

const suffixes = [
  ...['/', '//', '///', '/.', '/./', '/..', '/../', '/../accounts', '%2f', '%2F', '%252f', '\\'],
  ...['%5c', '/%2e', '/%2e%2e', '/..;/', '/;', ';', ';x', ';x=1', ';jsessionid=1', ';.json', '.'],
  ...['..', '...', '.json', '.html', '.css', '.js', '.xml', '.ico', '~', '*', '/*', '%20', '%09'],
  ...['%00', '%00.css', '%0a', '%0d', '%0d%0a', '%7f', '%c2%a0', '%e2%80%8b', '?', '??', '?x=1'],
  ...['?_method=GET', '?/api/public', '?page=1', '#', '#x', '#/api/public/status', '%23', '%3f'],
  ...['&', '&x=1', ':', ':80', '!', '$', "'", '(', ')', ',', '@', '@public', '|', '^', '%25', '%'],
  ...['%zz', '%2', '%u0000', '/nobody', '/admin', '/%61dmin', '/ADMIN', '/admin/', '/admin;x'],
]

const matrixParameters = [';', ';x', ';x=1', ';a=b;c=d', ';/', ';%2f', ';..', '%3b', '%3bx=1', ',x']

const detours = [
  ...['/api/public', '/api/public/status', '/api/user', '/api/editor', '/health/live', '/login'],
  ...['/.well-known/jwks.json', '/api/docs', '/x', '/users/1', '/api/v1/users'],
]

const ups = [
  ...['/..', '/%2e%2e', '/%2E%2E', '/.%2e', '/%2e.', '/%252e%252e', '%2f..', '%2f%2e%2e', '\\..'],
  ...[
    '%5c..',
    '/..;',
    '/..;x=1',
    '/..%00',
    '/..%20',
    '/..%2f..',
    '/....',
    '/..\\',
    '/%c0%ae%c0%ae',
  ],
]

const authorities = [
  ...['http://localhost', 'https://localhost', 'HTTP://LOCALHOST', 'http://localhost:80'],
  ...['http://evil.example', 'http://admin@localhost', 'http://[::1]', 'http://127.0.0.1:3000'],
  ...['//localhost', '///localhost', 'http:', 'http:/', 'http:///', 'ftp://localhost', 'x:'],
  ...['http://localhost\\', 'http://localhost%2f', 'http://localhost?', 'http://localhost#'],
  ...[
    'http://localhost/api/public/..',
    'localhost',
    '*',
    '.',
    '..',
    './',
    '?',
    '#',
    ';',
    '@',
    '%2f',
  ],
]

function joined(segments: readonly string[], at: number, separator: string): string {
  return segments.map((text, index) => (index === at ? separator : '/') + text).join('')
}

function letterForms(letter: string): string[] {
  const hex = letter.charCodeAt(0).toString(16)
  return [`%${hex}`, `%25${hex}`, `%u00${hex}`, letter.toUpperCase(), fullWidth(letter)]
}

/** The full-width form of an ASCII letter, percent-encoded; NFKC makes it the letter again. */
function fullWidth(letter: string): string {
  return encodeURIComponent(String.fromCharCode(letter.charCodeAt(0) + 0xfee0))
}

function encoded(text: string): string {
  return [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
}

function doubleEncoded(text: string): string {
  return encoded(text).replaceAll('%', '%25')
}

function upper(text: string): string {
  return text.toUpperCase()
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
