import assert from 'node:assert/strict'
import { chmodSync, readFileSync } from 'node:fs'
import { METHODS } from 'node:http'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { loadConfig } from '../../../test/config.ts'
import { forwardFile } from '../../../test/forward-file.ts'
import { mistakesOf } from '../../../test/mistakes.ts'
import { contractRoles } from '../../core/policy/principal.ts'
import { parseForwardRules } from './forward-file.ts'

const schema = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../docs/forward-auth.schema.json'), 'utf8'),
)
const fitsSchema = new Ajv2020({ strict: true, strictRequired: false }).compile(schema)

const wiki = { hosts: ['wiki.example.org'], policy: 'one_factor' }
const withHost = (host: unknown) => ({ rules: [{ ...wiki, hosts: [host] }] })
const withPath = (path: unknown) => ({ rules: [{ ...wiki, paths: [path] }] })
const withMore = (more: object) => ({ rules: [{ ...wiki, ...more }] })

const accepted: readonly object[] = [
  withMore({ app_passwords: true }),
  withMore({ app_passwords: false, policy: 'two_factor' }),
  { rules: [] },
  { $schema: 'https://example.org/forward-auth.schema.json', rules: [wiki] },
  ...['bypass', 'one_factor', 'two_factor', 'deny'].map((policy) => withMore({ policy })),
  ...[
    ...[
      'localhost',
      'a_b.example.org',
      'xn--bcher-kva.example',
      '192.0.2.1',
      '[::1]',
      '[2001:db8::1]:8443',
    ],
    ...[
      'wiki.example.org:8443',
      '*.apps.example.org',
      '*.apps.example.org:8443',
      '*.localhost',
      '*.lan',
    ],
  ].map(withHost),
  ...[
    ...[
      '/',
      '/*',
      '/a',
      '/a/',
      '/a/*',
      '/a/b.c/d',
      '/.well-known/*',
      '/~ann',
      '/a%20b',
      '/C%C3%A4',
      '/c%c3%a4',
    ],
    ...["/a!$&'()+,=:@b", '/a|b[c]', '/%7Ba%7D', '/A/B'],
  ].map(withPath),
  withMore({ methods: ['GET', 'HEAD', 'M-SEARCH'] }),
  withMore({ roles: ['ADMIN', 'EDITOR'] }),
  withMore({ roles: ['ROLE_ADMIN'] }),
  withMore({ policy: 'deny', roles: ['USER'] }),
  withMore({ policy: 'bypass', networks: ['192.0.2.0/24', '2001:db8::/32', '::/0', '0.0.0.0/0'] }),
  withMore({ networks: ['192.0.2.7', '192.0.2.7/32', '2001:db8::7', '2001:db8::7/128'] }),
  withMore({ users: ['ann', 'zoë', 'ann@example.org'], roles: ['USER'] }),
]

const host = (given: string, written?: string) =>
  written === undefined
    ? `rule 1 has the host "${given}", which is no host name, and not "*." with one`
    : `rule 1 has the host "${given}", which is written "${written}"`
const ambiguous =
  'which can be read in more than one way: no \\, ;, ::, //, nor a dot or space at an end'
const path = (given: string, what = ambiguous) =>
  `rule 1 has the path ${JSON.stringify(given)}, ${what}`
const listOf = (name: string) => `rule 1 must have a list "${name}" of 1 to 10000 texts`
const policies = 'rule 1 must have a "policy": one of bypass, one_factor, two_factor, deny'

const noNetworks = [
  ...[
    '',
    'lan',
    '192.0.2.0/33',
    '192.0.2/24',
    '192.0.2.0/',
    '192.0.2.0/-1',
    '192.0.2.0/255.255.255.0',
  ],
  ...['192.0.2.1-192.0.2.9', '*', '0x7f.1', '010.0.0.1', 'fe80::1%eth0', '2001:db8::/129', '/24'],
  ...['192.0.2.0/24,10.0.0.0/8', '192.0.2.0/2 4', '2001:db8:::/32', '١٩٢.0.2.1'],
]
const otherwiseWritten = [
  ['192.0.2.7/24', '192.0.2.0/24'],
  ['192.0.2.0/024', '192.0.2.0/24'],
  ['10.1.2.3/0', '0.0.0.0/0'],
  ['2001:DB8::/32', '2001:db8::/32'],
  ['2001:db8:0:0::/32', '2001:db8::/32'],
  ['2001:db8::1/64', '2001:db8::/64'],
  ['::ffff:192.0.2.0/120', '192.0.2.0/24'],
  ['::ffff:c000:207', '192.0.2.7'],
]

/** Files with their mistakes; `beyond`: the schema cannot say it. */
const refused: readonly (readonly [
  file: unknown,
  mistakes: readonly string[],
  beyond?: 'beyond',
])[] = [
  [null, ['must be an object with a list "rules"']],
  [[], ['must be an object with a list "rules"']],
  [{}, ['must be an object with a list "rules"']],
  [{ rules: {} }, ['must be an object with a list "rules"']],
  [{ rules: [], rule: [] }, ['has an unknown field "rule"']],
  [{ rules: [], $schema: 1 }, ['has a "$schema" that is no text']],
  [{ rules: ['x', null, []] }, [1, 2, 3].map((number) => `rule ${number} must be an object`)],
  [{ rules: [{}] }, ['rule 1 must have a list "hosts"', policies]],
  [withMore({ path: '/a' }), ['rule 1 has an unknown field "path"']],
  [withMore({ hosts: [] }), [listOf('hosts')]],
  [withMore({ hosts: 'wiki.example.org' }), [listOf('hosts')]],
  [withHost(1), [listOf('hosts')]],
  [withMore({ hosts: ['a.example', 1] }), [listOf('hosts')]],
  [withMore({ paths: [] }), [listOf('paths')]],
  [withMore({ methods: [] }), [listOf('methods')]],
  [withMore({ roles: [] }), [listOf('roles')]],
  [withMore({ paths: null }), [listOf('paths')]],
  [withMore({ app_passwords: 1 }), ['rule 1 must have true or false as "app_passwords"']],
  [
    withMore({ app_passwords: true, policy: 'two_factor' }),
    ['rule 1 has app_passwords, which only the policy one_factor can accept'],
  ],
  [withMore({ policy: 'allow' }), [policies]],
  [withMore({ policy: 'Deny' }), [policies]],
  [
    withMore({ policy: 'bypass', roles: ['USER'] }),
    ['rule 1 has roles and the policy bypass, which does not ask who it is'],
  ],
  [
    withMore({ policy: 'bypass', users: ['ann'] }),
    ['rule 1 has users and the policy bypass, which does not ask who it is'],
  ],
  [withMore({ networks: [] }), [listOf('networks')]],
  [withMore({ users: 'ann' }), [listOf('users')]],
  [withMore({ networks: ['::1', '::1'] }), ['rule 1 has "::1" twice in "networks"']],
  ...noNetworks.map((given): [object, string[], 'beyond'] => [
    withMore({ networks: [given] }),
    [
      `rule 1 has the network ${JSON.stringify(given)}, which is no address and no range such as 192.0.2.0/24`,
    ],
    'beyond',
  ]),
  ...otherwiseWritten.map(([given, written]): [object, string[], 'beyond'] => [
    withMore({ networks: [given] }),
    [`rule 1 has the network "${given}", which is written "${written}"`],
    'beyond',
  ]),
  [
    withMore({ users: ['Ann'] }),
    ['rule 1 has the user "Ann", whose username is written "ann"'],
    'beyond',
  ],
  [withMore({ users: ['a:b'] }), ['rule 1 has the user "a:b", which is no username'], 'beyond'],
  [
    withMore({ methods: ['get', 'GTE'] }),
    [
      'rule 1 has the method "get", which is none of HTTP: write GET',
      'rule 1 has the method "GTE", which is none of HTTP',
    ],
  ],
  [
    withMore({ methods: ['HEAD', 'POST'] }),
    ['rule 1 has the method HEAD without GET, as which it counts'],
  ],
  [withMore({ methods: ['GET', 'GET'] }), ['rule 1 has "GET" twice in "methods"']],
  [
    withMore({ hosts: ['a.example', 'b.example', 'a.example'] }),
    ['rule 1 has "a.example" twice in "hosts"'],
  ],
  [
    withMore({ roles: ['AUDITOR'] }),
    ['rule 1 has the role "AUDITOR", which is neither one of the service nor in ROLES'],
    'beyond',
  ],
  [
    withMore({ roles: ['admin'] }),
    ['rule 1 has the role "admin", which is neither one of the service nor in ROLES'],
  ],
  ...[
    '*',
    '',
    '*.',
    'a.*',
    '*.*.example.org',
    'a b',
    'https://a.example',
    'a.example/b',
    'u@a.example',
    '[::1',
    'a..b:x',
    '*.[::1]',
    '.',
  ].map((given): [object, string[]] => [withHost(given), [host(given)]]),
  [withHost('*.192.0.2.1'), [host('*.192.0.2.1')], 'beyond'],
  [withHost('a.example:70000'), [host('a.example:70000')], 'beyond'],
  [withHost('A.example'), [host('A.example', 'a.example')]],
  [withHost('*.A.example'), [host('*.A.example', '*.a.example')]],
  [withHost('bücher.example'), [host('bücher.example', 'xn--bcher-kva.example')]],
  [withHost('a.example:443'), [host('a.example:443', 'a.example')]],
  [withHost('a.example:80'), [host('a.example:80', 'a.example')]],
  [withHost('a.example:08443'), [host('a.example:08443', 'a.example:8443')]],
  [withHost('a.example.'), [host('a.example.', 'a.example')]],
  [withHost('127.1'), [host('127.1', '127.0.0.1')], 'beyond'],
  [withHost('[0:0:0:0:0:0:0:1]'), [host('[0:0:0:0:0:0:0:1]', '[::1]')], 'beyond'],
  ...['', 'a', '*', 'http://a.example/'].map((given): [object, string[]] => [
    withPath(given),
    [path(given, 'which does not begin with /')],
  ]),
  ...['/a*', '/*/b', '/a/*/b', '/a/**'].map((given): [object, string[]] => [
    withPath(given),
    [path(given, 'with a * that is not its end /*')],
  ]),
  ...['/a?b', '/a#b'].map((given): [object, string[]] => [
    withPath(given),
    [path(given, 'with a ? or a #: rules are about paths alone')],
  ]),
  ...[
    ...[
      '//a',
      '/a//b',
      '/a/../b',
      '/a/.',
      '/a./b',
      '/..',
      '/a;b',
      '/a::b',
      '/a\\b',
      '/%2e%2e/a',
      '/a%2Fb',
      '/a%5Cb',
    ],
    ...[
      '/a%3Bb',
      '/a%25b',
      '/a%00',
      '/a%20',
      '/%20a',
      '/%zz',
      '/a\u0000b',
      '/a /b',
      '/a//*',
      '/a/./*',
      '//*',
    ],
  ].map((given): [object, string[]] => [withPath(given), [path(given)]]),
  [withPath('/%c3'), [path('/%c3')], 'beyond'],
  [withPath('/%EF%BD%81'), [path('/%EF%BD%81')], 'beyond'],
  [withPath('/%20%61'), [path('/%20%61')]],
  [withPath('/a%20b%61'), [path('/a%20b%61', 'with an escape that it does not need')]],
  [withPath('/%61dmin'), [path('/%61dmin', 'with an escape that it does not need')]],
  [withPath('/ä'), [path('/ä', 'which a browser sends as "/%C3%A4"')]],
  [withPath('/a{b}'), [path('/a{b}', 'which a browser sends as "/a%7Bb%7D"')]],
  [withPath('/a b'), [path('/a b', 'which a browser sends as "/a%20b"')]],
  [
    withPath(`/${'a'.repeat(2048)}`),
    [
      path(`/${'a'.repeat(2048)}`, 'which is longer than 2048 characters').replace(
        /a{1000,}/,
        'a'.repeat(127),
      ),
    ],
  ],
  [
    { rules: [{ ...wiki, hosts: ['B.example'], x: 1 }, wiki, { ...wiki, policy: 'none' }] },
    [
      'rule 1 has an unknown field "x"',
      host('B.example', 'b.example'),
      policies.replace('rule 1', 'rule 3'),
    ],
  ],
  [{ rules: Array.from({ length: 10_001 }, () => wiki) }, ['has more than 10000 rules']],
  [
    withMore({
      hosts: Array.from({ length: 500 }, (_, n) => `h${n}.example`),
      paths: Array.from({ length: 401 }, (_, n) => `/p${n}`),
    }),
    ['has more than 200000 pairs of a host and a path'],
    'beyond',
  ],
]

suite('a file of rules', () => {
  test('is accepted by the parser and by the schema', () => {
    for (const file of accepted) {
      const text = JSON.stringify(file)
      assert.deepEqual(parseForwardRules(text, contractRoles).mistakes, [], text)
      assert.ok(fitsSchema(file), `${text}: ${JSON.stringify(fitsSchema.errors)}`)
    }
  })

  test('is refused by both, with all of its mistakes', () => {
    for (const [file, mistakes, beyond] of refused) {
      const text = JSON.stringify(file)
      const what = text.slice(0, 200)
      assert.deepEqual(parseForwardRules(text, contractRoles), { rules: [], mistakes }, what)
      assert.equal(fitsSchema(file), beyond === 'beyond', what)
    }
  })

  test('the schema has the methods and policies of the parser, and says what each field is', () => {
    const { methods, ...fields } = schema.$defs.rule.properties
    assert.deepEqual(methods.items.enum, METHODS)
    for (const { description } of [methods, ...Object.values<{ description?: string }>(fields)]) {
      assert.ok(description)
    }
  })

  test('has rules with null for what any request has, and roles without their prefix', () => {
    const text = JSON.stringify({
      rules: [wiki, { ...wiki, paths: ['/a/*'], methods: ['GET', 'HEAD'], roles: ['ROLE_USER'] }],
    })
    const any = { paths: null, methods: null, networks: null, roles: null, users: null }
    assert.deepEqual(parseForwardRules(`\uFEFF${text}`, contractRoles).rules, [
      { number: 1, ...wiki, ...any },
      { number: 2, ...wiki, ...any, paths: ['/a/*'], methods: ['GET'], roles: ['USER'] },
    ])
  })

  test('that is no JSON says where', () => {
    const { mistakes } = parseForwardRules('{\n  "rules": ["a]\n', contractRoles)
    assert.deepEqual(mistakes, ['is not JSON (line 2 column 16)'])
  })

  test('with a field twice in one object is refused: a parser would drop the first in silence', () => {
    const text = String.raw`{
      "rules": [
        { "hosts": ["a.example"], "policy": "deny", "paths": ["/\":{[\""] },
        { "hosts": ["policy", "policy"], "policy": "deny",
          "p\u006flicy"
            : "bypass" }
      ],
      "rules": []
    }`
    assert.deepEqual(parseForwardRules(text, []).mistakes, [
      'has the field "policy" twice in one object (line 5)',
      'has the field "rules" twice in one object (line 8)',
    ])
  })

  test('its texts cannot steer a terminal', () => {
    const { mistakes } = parseForwardRules(JSON.stringify({ rules: [], '\u001b[2J': 1 }), [])
    assert.deepEqual(mistakes, ['has an unknown field "\\u001b[2J"'])
  })
})

suite('FORWARD_AUTH_FILE', () => {
  const env = (rules: readonly object[] | string) => ({
    FORWARD_AUTH_FILE: forwardFile(rules),
    TRUST_PROXY: '127.0.0.1',
  })

  test('is read with the settings, and its mistakes stop the start with theirs', () => {
    const good = env([wiki])
    const { forwardAuth, warnings } = loadConfig(good)
    assert.equal(forwardAuth.file, good.FORWARD_AUTH_FILE)
    assert.deepEqual(
      forwardAuth.atStart.map(({ hosts }) => hosts),
      [wiki.hosts],
    )
    assert.deepEqual(warnings, [])
    assert.deepEqual(loadConfig({}).forwardAuth, { file: undefined, atStart: [] })
    assert.deepEqual(
      mistakesOf({
        ...env([
          { ...wiki, policy: 'x' },
          { ...wiki, y: 1 },
        ]),
        PORT: 'x',
      }),
      [
        'PORT must be a whole number from 0 to 65535',
        `FORWARD_AUTH_FILE ${policies}`,
        'FORWARD_AUTH_FILE rule 2 has an unknown field "y"',
      ],
    )
  })

  test('has roles of ROLES; those are not looked up if ROLES has a mistake', () => {
    const files = env([{ ...wiki, roles: ['AUDITOR'] }])
    assert.deepEqual(mistakesOf({ ...files, ROLES: 'AUDITOR' }), [])
    assert.equal(mistakesOf(files).length, 1)
    const [mistake, ...others] = mistakesOf({ ...files, ROLES: 'auditor' })
    assert.match(mistake ?? '', /^ROLES /)
    assert.deepEqual(others, [])
  })

  test('with very many mistakes tells a thousand, and how many more there are', () => {
    const mistakes = mistakesOf(env(Array.from({ length: 1200 }, () => ({ ...wiki, x: 1 }))))
    assert.equal(mistakes.length, 1001)
    assert.equal(mistakes.at(-1), 'FORWARD_AUTH_FILE has 200 mistakes more')
  })

  const warningsOf = (rules: readonly object[], more: Record<string, string> = {}) =>
    loadConfig({ ...env(rules), ...more }).warnings

  test('warns of what is no mistake and yet hardly meant', () => {
    assert.deepEqual(warningsOf([]), [
      'FORWARD_AUTH_FILE: without a rule, every request is refused',
    ])
    assert.deepEqual(warningsOf([{ ...wiki, hosts: ['*.lan', '*.localhost', '*.a.lan'] }]), [
      'FORWARD_AUTH_FILE: rule 1 has the host *.lan: all hosts below must be yours',
    ])
    for (const TRUST_PROXY of ['none', '']) {
      assert.deepEqual(warningsOf([wiki], { TRUST_PROXY }), [
        'FORWARD_AUTH_FILE: TRUST_PROXY names no proxy, and others are not answered',
      ])
    }
    assert.deepEqual(
      warningsOf([{ ...wiki, networks: ['10.0.0.0/16', '192.0.2.0/24'] }], {
        TRUST_PROXY: '192.0.2.1, 10.0.0.0/8',
      }),
      [
        'FORWARD_AUTH_FILE: rule 1 has the network 10.0.0.0/16, which TRUST_PROXY counts as proxies: a visitor from there could name any address',
      ],
    )
    const files = env([wiki])
    chmodSync(files.FORWARD_AUTH_FILE, 0o622)
    assert.deepEqual(loadConfig(files).warnings, [
      `FORWARD_AUTH_FILE: ${files.FORWARD_AUTH_FILE} can be changed by other users of this machine`,
    ])
  })

  test('warns of rules that never match, because one before them matches all that they do', () => {
    const shadowOf = (...rules: readonly object[]) =>
      warningsOf(rules.map((rule) => ({ ...wiki, ...rule }))).map((line) =>
        line.replace('FORWARD_AUTH_FILE: ', ''),
      )
    const never = (rule: number, by: number) =>
      `rule ${rule} never matches: rule ${by} matches all that it does, before it`
    assert.deepEqual(shadowOf({}, {}, { policy: 'deny' }), [never(2, 1), never(3, 1)])
    assert.deepEqual(shadowOf({ hosts: ['*.example.org'] }, {}), [never(2, 1)])
    assert.deepEqual(shadowOf({}, { hosts: ['*.example.org'] }), [])
    assert.deepEqual(shadowOf({ hosts: ['*.example.org:81'] }, {}), [])
    assert.deepEqual(shadowOf({}, { hosts: ['wiki.example.org', 'b.example.org'] }), [])
    assert.deepEqual(shadowOf({ paths: ['/a/*'] }, { paths: ['/a', '/a/b', '/a/c/*'] }), [
      never(2, 1),
    ])
    assert.deepEqual(shadowOf({ paths: ['/a'] }, { paths: ['/a/'] }, { paths: ['/a/*'] }), [
      never(2, 1),
    ])
    assert.deepEqual(shadowOf({ paths: ['/*'] }, {}), [never(2, 1)])
    assert.deepEqual(
      shadowOf({ paths: ['/a'] }, { paths: ['/A'] }),
      [never(2, 1)],
      'denied in any case',
    )
    assert.deepEqual(shadowOf({ paths: ['/ab/*'] }, { paths: ['/a'] }, { paths: ['/abc'] }, {}), [])
    assert.deepEqual(shadowOf({ methods: ['GET', 'POST'] }, { methods: ['POST'] }, {}), [
      never(2, 1),
    ])
    assert.deepEqual(shadowOf({ roles: ['USER', 'ADMIN'] }, { roles: ['ADMIN'] }, {}), [
      never(2, 1),
    ])
    assert.deepEqual(shadowOf({ roles: ['ADMIN'] }, { roles: ['ADMIN', 'USER'] }, {}), [])
    assert.deepEqual(shadowOf({ users: ['ann', 'bob'] }, { users: ['bob'] }, {}), [never(2, 1)])
    assert.deepEqual(shadowOf({ users: ['ann'] }, { roles: ['USER'] }, {}), [])
    assert.deepEqual(
      shadowOf({ networks: ['10.0.0.0/8'] }, { networks: ['10.1.0.0/16', '10.2.0.1'] }, {}),
      [never(2, 1)],
    )
    assert.deepEqual(shadowOf({ networks: ['10.1.0.0/16'] }, { networks: ['10.0.0.0/8'] }, {}), [])
    assert.deepEqual(shadowOf({ networks: ['0.0.0.0/0'] }, {}), [])
    assert.deepEqual(shadowOf({ networks: ['0.0.0.0/0', '::/0'] }, {}), [never(2, 1)])
    assert.deepEqual(shadowOf({}, { networks: ['10.0.0.0/8'] }), [never(2, 1)])
  })

  test('of 10,000 rules is read whole, without a warning', () => {
    const rules = Array.from({ length: 10_000 }, (_, n) => ({
      hosts: [`h${n % 100}.example.org`, '*.example.net'],
      paths: [`/p${n}/*`],
      policy: 'one_factor',
    }))
    assert.deepEqual(warningsOf(rules), [])
  })
})
