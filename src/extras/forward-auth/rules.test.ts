import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { loadConfig } from '../../../test/config.ts'
import { forwardFile, writeForward } from '../../../test/forward-file.ts'
import { ConfigError } from '../../core/config/load.ts'
import { createMeasurements } from '../../core/measurements/measurements.ts'
import { rulesFile } from './measurements.ts'
import { createForwardRules } from './rules.ts'

type Line = readonly [kind: string, what: unknown]

const wiki = { hosts: ['wiki.example.org'], policy: 'bypass' }
const text = (...rules: readonly object[]) => JSON.stringify({ rules })

/** A file with one rule, a service that has begun with it, and what that tells. */
function started({
  index = 0,
  env = {},
  atStart = [wiki],
}: {
  index?: number
  env?: Record<string, string>
  atStart?: readonly object[]
} = {}) {
  const path = forwardFile(atStart)
  const write = (content: string) => writeForward(path, content)
  const config = loadConfig({ FORWARD_AUTH_FILE: path, TRUST_PROXY: '127.0.0.1', ...env })
  const told: Line[] = []
  const kept: string[][] = []
  const clock = fixedClock()
  const measurements = createMeasurements()
  const rules = createForwardRules({
    clock,
    config,
    events: { emit: (type, ...[payload]) => void told.push([type.name, payload]) },
    log: {
      error: (fields: { mistakes: readonly string[] }) =>
        void told.push(['error', fields.mistakes]),
      info: (line: string) => void told.push(['info', line]),
      warn: (line: string) => void told.push(['warn', line]),
    } as unknown as Parameters<typeof createForwardRules>[0]['log'],
    measurements,
    workers: {
      index,
      keep: ({ FORWARD_AUTH_FILE: rules = [] }) =>
        void kept.push(rules.flatMap(({ hosts }) => hosts)),
    },
  })
  const policyOf = (host: string) =>
    rules.judge({ host, scheme: 'https', uri: '/', methods: ['GET'], address: () => null }, null)
      .policy
  /** Looks at the file, and answers what was told. */
  const look = async () => {
    told.length = 0
    await rules.refresh()
    return [...told]
  }
  return { clock, kept, look, measurements, path, policyOf, rules, write }
}

/** Puts something else in the place of the file. */
const becomes = (make: (path: string) => void) => (path: string) => {
  rmSync(path)
  make(path)
}

suite('the file of rules while the service runs', () => {
  test('as it was at the start it is told of nothing; a change is taken up and told', async () => {
    const { look, measurements, policyOf, write } = started()
    assert.deepEqual(await look(), [])
    assert.deepEqual(measurements.of(rulesFile).read?.(), { rules: 1, isBroken: false })
    write(text(wiki, { hosts: ['new.example.org'], policy: 'bypass' }))
    assert.equal(policyOf('new.example.org'), 'deny')
    assert.deepEqual(await look(), [['sys_forward_rules_changed', { rules: 2 }]])
    assert.equal(policyOf('new.example.org'), 'bypass')
    assert.deepEqual(measurements.of(rulesFile).read?.(), { rules: 2, isBroken: false })
    assert.deepEqual(await look(), [], 'told once')
    write(text({ hosts: ['new.example.org'], policy: 'deny' }))
    await look()
    assert.equal(policyOf('wiki.example.org'), 'deny', 'what is taken out is over')
  })

  test('as it is taken up it is kept for workers that start later', async () => {
    const { kept, look, write } = started()
    await look()
    assert.deepEqual(kept, [wiki.hosts], 'from the start')
    write(text({ hosts: ['new.example.org'], policy: 'bypass' }))
    await look()
    write(`${text({ hosts: ['new.example.org'], policy: 'bypass' })} `)
    await look()
    write('{')
    await look()
    assert.deepEqual(kept, [wiki.hosts, ['new.example.org']])
  })

  test('its warnings were logged at the start, and are again with each version', async () => {
    const { look, write } = started({ atStart: [wiki, wiki] })
    assert.deepEqual(await look(), [])
    write(`${text(wiki, wiki)} `)
    assert.deepEqual(await look(), [
      [
        'warn',
        'FORWARD_AUTH_FILE: rule 2 never matches: rule 1 matches all that it does, before it',
      ],
    ])
  })

  test('with the mistakes of the version before has its mistakes in the log again, and no event', async () => {
    const { look, write } = started()
    write(text({ ...wiki, x: 1 }))
    const [error, event] = await look()
    assert.equal(event?.[0], 'sys_forward_rules_broken')
    write(`${text({ ...wiki, x: 1 })} `)
    assert.deepEqual(await look(), [error])
    write(text({ ...wiki, y: 1 }))
    assert.deepEqual((await look())[1], event)
  })

  test('a change between the start and the first look is told, with its warnings', async () => {
    const { look, write } = started()
    write(text(wiki, wiki))
    assert.deepEqual(await look(), [
      [
        'warn',
        'FORWARD_AUTH_FILE: rule 2 never matches: rule 1 matches all that it does, before it',
      ],
      ['sys_forward_rules_changed', { rules: 2 }],
    ])
  })

  const broken: Readonly<Record<string, readonly [mistake: RegExp, (path: string) => void]>> = {
    'half written': [
      /is not JSON \(line 1 column 25\)$/,
      (path) => writeFileSync(path, '{"rules":[{"hosts":["wik'),
    ],
    empty: [/is not JSON/, (path) => writeFileSync(path, '')],
    removed: [/which cannot be read \(ENOENT\)$/, (path) => rmSync(path)],
    'a folder': [/which is no file$/, becomes((path) => mkdirSync(path))],
    'a pipe': [/which is no file$/, becomes((path) => execFileSync('mkfifo', [path]))],
    'of 5 MiB': [
      /which is longer than 4 MiB$/,
      (path) => writeFileSync(path, text(wiki) + ' '.repeat(5_242_880)),
    ],
    'with a role that is in ROLES no more': [
      /^FORWARD_AUTH_FILE rule 1 has the role "AUDITOR", which is neither one of the service nor in ROLES$/,
      (path) => writeFileSync(path, text({ ...wiki, policy: 'deny', roles: ['AUDITOR'] })),
    ],
  }
  for (const [name, [mistake, breakIt]] of Object.entries(broken)) {
    test(`${name}: the rules before stay, told loudly, until it is mended`, async () => {
      const { clock, look, measurements, path, policyOf, write } = started()
      await look()
      breakIt(path)
      const [error, event, ...others] = await look()
      assert.equal(error?.[0], 'error')
      const [line, ...lines] = (error?.[1] ?? []) as readonly string[]
      assert.match(line ?? '', mistake)
      assert.deepEqual(lines, [])
      assert.deepEqual(event, ['sys_forward_rules_broken', { mistakes: 1, rules: 1 }])
      assert.deepEqual(others, [])
      assert.equal(policyOf('wiki.example.org'), 'bypass')
      assert.deepEqual(measurements.of(rulesFile).read?.(), { rules: 1, isBroken: true })
      clock.advance(3599.999)
      assert.deepEqual(await look(), [], 'once for a version')
      clock.advance(0.001)
      assert.deepEqual(await look(), [error], 'and again each hour, without an event')
      assert.deepEqual(await look(), [])
      rmSync(path, { recursive: true, force: true })
      write(text(wiki))
      assert.deepEqual(await look(), [
        ['info', 'the file of forward authentication has no mistakes any more'],
      ])
      assert.deepEqual(measurements.of(rulesFile).read?.(), { rules: 1, isBroken: false })
    })
  }

  test('another worker takes a change up as well, and tells of nothing', async () => {
    const { clock, look, measurements, policyOf, write } = started({ index: 1 })
    write(text({ hosts: ['new.example.org'], policy: 'bypass' }))
    assert.deepEqual(await look(), [])
    assert.equal(policyOf('new.example.org'), 'bypass')
    write('{')
    assert.deepEqual(await look(), [])
    assert.equal(measurements.of(rulesFile).read?.().isBroken, true)
    clock.advance(3600)
    assert.deepEqual(await look(), [])
  })

  test('a file that cannot be read is told with the reason of the system', {
    skip: process.getuid?.() === 0,
  }, async () => {
    const { look, path } = started()
    await look()
    chmodSync(path, 0)
    const [error] = await look()
    assert.match(String(error?.[1]), /which cannot be read \(EACCES\)$/)
  })

  test('a role that is out of ROLES stops the next start', () => {
    const { path, write } = started()
    write(text({ ...wiki, policy: 'deny', roles: ['AUDITOR'] }))
    const env = { FORWARD_AUTH_FILE: path, TRUST_PROXY: '127.0.0.1' }
    const { forwardAuth } = loadConfig({ ...env, ROLES: 'AUDITOR' })
    assert.deepEqual(forwardAuth.atStart[0]?.roles, ['AUDITOR'])
    assert.throws(() => loadConfig(env), ConfigError)
  })
})

suite('without FORWARD_AUTH_FILE', () => {
  test('all is denied, no host is known, and there is no metric', async () => {
    const measurements = createMeasurements()
    const told = () => assert.fail('nothing is told')
    const rules = createForwardRules({
      clock: fixedClock(),
      config: loadConfig({}),
      events: { emit: told },
      log: { error: told, info: told, warn: told },
      measurements,
      workers: { index: 0, keep: () => {} },
    })
    await rules.refresh()
    assert.deepEqual(
      rules.judge(
        { host: 'a.example.org', scheme: 'https', uri: '/', methods: ['GET'], address: () => null },
        null,
      ),
      { policy: 'deny', rule: null, because: 'no_rule' },
    )
    assert.equal(rules.isOrigin('https://a.example.org'), false)
    assert.equal(measurements.of(rulesFile).read, null)
  })
})

suite('origins of the hosts of rules', () => {
  test('https of any host, http of loopback ones, as a browser writes them', async () => {
    const { look, rules, write } = started()
    write(text(wiki, { hosts: ['*.apps.example.org', 'localhost:8080', '[::1]'], policy: 'deny' }))
    await look()
    const yes = [
      ...['https://wiki.example.org', 'https://a.apps.example.org', 'https://b.a.apps.example.org'],
      ...['http://localhost:8080', 'https://localhost:8080', 'http://[::1]'],
    ]
    for (const origin of yes) assert.equal(rules.isOrigin(origin), true, origin)
    for (const origin of [
      ...['http://wiki.example.org', 'https://wiki.example.org:8443', 'https://WIKI.example.org'],
      ...['https://wiki.example.org/', 'https://apps.example.org', 'https://xapps.example.org'],
      ...['https://wiki.example.org.', 'https://wiki.example.org@evil.example', 'wiki.example.org'],
      ...['https://.apps.example.org', 'http://localhost', 'ftp://localhost:8080', 'null', ''],
      ...['https://evil.example#.apps.example.org', 'https://evil.example\\.apps.example.org'],
    ]) {
      assert.equal(rules.isOrigin(origin), false, origin)
    }
  })
})
