import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Authenticator } from '../../src/core/http/routes/declaration.ts'
import { total } from '../../src/core/measurements/family.ts'
import type { AddAuthenticators, Module } from '../../src/core/module/module.ts'
import type { Monitoring, SeriesKind, StatusPart } from '../../src/core/module/monitoring.ts'
import { loadModules } from '../../src/core/module/serve.ts'
import type { Services } from '../../src/core/module/services.ts'
import { anyone } from '../../src/core/policy/rules.ts'
import { loadChecks } from '../../src/extras/doctor/all-checks.ts'
import { modules as ours } from '../../src/modules.ts'
import { testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { folder, place } from '../copies.ts'

type Manifest = Omit<Module, 'name'>

const first: Module = { name: 'first' }
const table = { name: 'things', key: ['id'] }
const problem = { name: 'thingMissing', status: 404, error: 'Thing not found' }
const row = { name: 'thing add', summary: 'Adds a thing' }
const command = { rows: [row], load: async () => ({ commands: [] }) }

const authenticator: Authenticator = {
  scheme: 'x-thing',
  header: null,
  missing: 'authenticationRequired',
  describes: { type: 'apiKey', in: 'header', name: 'X-Thing' },
  authenticate: async () => null,
}
const bringing =
  (...own: Authenticator[]): (() => Promise<AddAuthenticators>) =>
  async () =>
  (_needs, before) => [...before, ...own]

const serving =
  (...urls: string[]): NonNullable<Module['routes']> =>
  async () => ({
    async routes(app) {
      const config = { access: { rule: anyone } }
      for (const url of urls) app.get(url, { config }, async () => 'x')
    },
  })

const settingsIn = (name: string) => async () => ({
  settings: { [name]: { parse: String, secret: false, shown: '', doc: '', fallback: '' } },
})
const eventsIn =
  (...names: string[]) =>
  async () =>
    names.map((name) => ({ type: { name, level: 'info' } }))

const reasonsIn = (code: string) => async () => ({
  reasons: { [code]: { guard: 'resource', explanation: 'The thing is not there.' } as const },
})

const showing = (shown: Monitoring) => async () => ({ monitoring: shown })
const part = (name: string): StatusPart => ({
  name,
  schema: { type: 'integer' },
  example: 1,
  read: async () => 1,
})
const series = (name: string): SeriesKind => ({
  name,
  labels: [],
  description: 'Things',
  counted: () => [],
})
const makingServices = (...names: string[]): Manifest => ({
  services: async () => ({
    services: names.map((name) => ({
      ...{ needs: [], hooks: [], inEachProcess: false, create: () => ({ [name]: name }) },
      makes: [name as keyof Services],
    })),
  }),
})

const metric = (name: string): Monitoring => ({
  processMetrics: () => [total(name, 'Things', 1)],
})

interface Doubled {
  readonly kind: string
  readonly name: string
  /** What both of two modules have. */
  readonly both: Manifest
  /** The same twice in one module; null where one module cannot. */
  readonly twice: Manifest | null
  /** What a module of ours has as well, and its name. */
  readonly ofOurs: readonly [Manifest, string]
}

const doubled: readonly Doubled[] = [
  {
    kind: 'table',
    name: 'things',
    both: { tables: [table] },
    twice: { tables: [table, table] },
    ofOurs: [
      { tables: [{ name: 'posts', key: ['id'] }] },
      'the table posts is named by the modules posts',
    ],
  },
  {
    kind: 'event',
    name: 'thing_made',
    both: { events: eventsIn('thing_made') },
    twice: { events: eventsIn('thing_made', 'thing_made') },
    ofOurs: [
      { events: eventsIn('post_created') },
      'the event post_created is named by the modules posts',
    ],
  },
  {
    kind: 'error',
    name: 'thingMissing',
    both: { errors: [problem] },
    twice: { errors: [problem, { ...problem, status: 410 }] },
    ofOurs: [
      { errors: [{ ...problem, name: 'postNotFound' }] },
      'the error postNotFound is named by the modules posts',
    ],
  },
  {
    kind: 'reason',
    name: 'x-thing-missing',
    both: { reasons: reasonsIn('x-thing-missing') },
    twice: {
      reasons: () => Promise.all([reasonsIn('x-thing-missing')(), reasonsIn('x-thing-missing')()]),
    },
    ofOurs: [
      { reasons: reasonsIn('username_taken') },
      'the reason username_taken is named by the modules accounts',
    ],
  },
  {
    kind: 'setting',
    name: 'THING',
    both: { settings: settingsIn('THING') },
    twice: null, // a table is an object
    ofOurs: [{ settings: settingsIn('PORT') }, 'the setting PORT is named by the modules core'],
  },
  {
    kind: 'command',
    name: 'thing add',
    both: { commands: [command] },
    twice: { commands: [{ ...command, rows: [row, row] }] },
    ofOurs: [
      { commands: [{ ...command, rows: [{ ...row, name: 'user add' }] }] },
      'the command user add is named by the modules users',
    ],
  },
  {
    kind: 'method',
    name: 'thing',
    both: { methods: [{ name: 'thing', amr: [] }] },
    twice: {
      methods: [
        { name: 'thing', amr: [] },
        { name: 'thing', amr: ['pwd'] },
      ],
    },
    ofOurs: [
      { methods: [{ name: 'password', amr: ['pwd'] }] },
      'the method password is named by the modules accounts',
    ],
  },
  {
    kind: 'request header',
    name: 'x-thing',
    both: { requestHeaders: [{ name: 'X-Thing' }] },
    twice: { requestHeaders: [{ name: 'X-Thing' }, { name: 'x-thing' }] },
    ofOurs: [
      { requestHeaders: [{ name: 'x-csrf-token' }] },
      'the request header x-csrf-token is named by the modules sessions',
    ],
  },
  {
    kind: 'service',
    name: 'things',
    both: makingServices('things'),
    twice: makingServices('things', 'things'),
    ofOurs: [makingServices('posts'), 'the service posts is named by the modules posts'],
  },
  {
    kind: 'scheme',
    name: 'x-thing',
    both: { authenticators: bringing(authenticator) },
    twice: { authenticators: bringing(authenticator, authenticator) },
    ofOurs: [
      { authenticators: bringing({ ...authenticator, scheme: 'bearer' }) },
      'the scheme bearer is named by the modules tokens',
    ],
  },
  {
    kind: 'route',
    name: 'GET /things/:',
    both: { routes: serving('/things/:id') },
    twice: { routes: serving('/things/:id', '/things/:name') },
    ofOurs: [
      { routes: serving('/users/:key') },
      'the route GET /users/: is named by the modules users',
    ],
  },
  {
    kind: 'part of the status',
    name: 'things',
    both: { monitoring: showing({ status: [part('things')] }) },
    twice: { monitoring: showing({ status: [part('things'), part('things')] }) },
    ofOurs: [
      { monitoring: showing({ status: [part('mail')] }) },
      'the part of the status mail is named by the modules mail',
    ],
  },
  {
    kind: 'series',
    name: 'things',
    both: { monitoring: showing({ series: [series('things')] }) },
    twice: { monitoring: showing({ series: [series('things'), series('things')] }) },
    ofOurs: [
      { monitoring: showing({ series: [series('mails')] }) },
      'the series mails is named by the modules mail',
    ],
  },
  {
    kind: 'metric',
    name: 'things_total',
    both: { monitoring: showing(metric('things_total')) },
    twice: {
      monitoring: showing({
        processMetrics: () => [total('things_total', '', 1), total('things_total', '', 2)],
      }),
    },
    ofOurs: [
      { monitoring: showing(metric('gatehouse_http_requests_total')) },
      'the metric gatehouse_http_requests_total is named by the modules metrics',
    ],
  },
]

suite('a thing belongs to one module', () => {
  for (const { kind, name, both, twice, ofOurs } of doubled) {
    const modules = (...more: Module[]) => {
      const rest = kind === 'setting' && name === 'PORT' ? ours.slice(1) : ours
      return [...rest, ...more]
    }
    const told = `the ${kind} ${name} is named`

    test(`the ${kind} ${name} of two modules stops the start, with both named`, async () => {
      const given = modules({ ...first, ...both }, { name: 'second', ...both })
      await assert.rejects(testApp({}, { modules: given }), {
        message: `${told} by the modules first and second`,
      })
    })

    if (twice) {
      test(`the ${kind} ${name} twice in one module stops the start`, async () => {
        await assert.rejects(testApp({}, { modules: modules({ ...first, ...twice }) }), {
          message: `${told} twice by the module first`,
        })
      })
    }

    test(`a ${kind} of ours in another module stops the start, with both named`, async () => {
      const [manifest, message] = ofOurs
      await assert.rejects(testApp({}, { modules: [...ours, { ...first, ...manifest }] }), {
        message: `${message} and first`,
      })
    })
  }

  test('a check of the doctor in two modules ends the examination, with both named', async () => {
    const [check] = (await import('../../src/modules/tokens/checks.ts')).checks.offline ?? []
    assert.ok(check)
    const checks = async () => ({ checks: { offline: [check] } })
    await assert.rejects(loadChecks([...ours, { ...first, checks }]), {
      message: 'the check issuer is named by the modules tokens and first',
    })
  })

  test('a metric of the service in two modules reaches no scraper, and the log names both', async () => {
    const { serviceMetrics } = (await import('../../src/modules/sessions/monitoring.ts')).monitoring
    assert.ok(serviceMetrics)
    const app = await testApp(
      {},
      { modules: [...ours, { ...first, monitoring: showing({ serviceMetrics }) }] },
    )
    const { status } = await app.call('GET', '/metrics', { headers: await app.bearer(app.admin) })
    assert.equal(status, 500)
    assert.equal(
      (app.log.find(({ level }) => level === 'error')?.err as Error | undefined)?.message,
      'the metric gatehouse_sessions_live is named by the modules sessions and first',
    )
  })

  test('the code of the modules is loaded one module after another, in their order', async () => {
    let isFirstLoaded = false
    const loaded = await loadModules([
      {
        ...first,
        async routes() {
          await nextTurn()
          isFirstLoaded = true
          return []
        },
      },
      {
        name: 'second',
        async authenticators() {
          assert.ok(isFirstLoaded)
          return (_needs, before) => before
        },
      },
    ])
    assert.deepEqual(
      loaded.map(({ name, authenticators }) => [name, typeof authenticators]),
      [
        ['first', 'undefined'],
        ['second', 'function'],
      ],
    )
  })

  test('code that cannot be loaded stops the start, and neither help nor a command asks for it', async () => {
    const routes = () => Promise.reject(new Error('no such file'))
    const modules = [...ours, { ...first, routes }]
    await assert.rejects(testApp({}, { modules }), { message: 'no such file' })
    const { directory } = await place()
    for (const line of ['--help', 'migrate', 'account list']) {
      assert.equal((await gatehouse(directory, line, { modules })).code, 0, line)
    }
  })

  test('a module that drops a scheme of another stops the start', async () => {
    const dropping: Manifest = { authenticators: async () => () => [authenticator] }
    await assert.rejects(testApp({}, { modules: [...ours, { ...first, ...dropping }] }), {
      message: 'the module first drops the scheme client',
    })
  })

  test('two modules of one name stop the start', async () => {
    await assert.rejects(testApp({}, { modules: [...ours, { name: 'posts' }] }), {
      message: 'two modules are named posts',
    })
  })

  test('a module that is required and missing stops the start and the commands, with both named', async () => {
    const modules = [...ours, { ...first, requires: ['audit', 'second'] }]
    const message =
      'the module first requires the module second, which src/modules.ts does not list'
    await assert.rejects(testApp({}, { modules }), { message })
    assert.match((await gatehouse(folder(), 'help', { modules })).stderr, new RegExp(message))
  })

  test('a manifest that doubles a name leaves an empty database as it is', async () => {
    const { deps, tables, directory } = await place()
    const modules = [...ours, { ...first, tables: [{ name: 'posts', key: ['id'] }] }]
    const { code, stderr } = await gatehouse(directory, 'migrate', { modules })
    assert.deepEqual(
      [code, stderr],
      [1, 'error: the table posts is named by the modules posts and first\n'],
    )
    assert.deepEqual(await tables(), [])
    await deps.db.destroy()
  })

  test('a problem with the name of a row of ours, or without a status of an error, stops the start', async () => {
    for (const [problem_, message] of [
      [
        { name: 'userNotFound', status: 404, error: 'Another text' },
        'the error userNotFound is named by the error table and by the module first',
      ],
      ...[200, 399, 600, 404.5].map(
        (status) =>
          [
            { name: 'odd', status, error: 'Odd' },
            'the error odd of the module first has no status from 400 to 599, or no text',
          ] as const,
      ),
    ] as const) {
      await assert.rejects(testApp({}, { modules: [...ours, { ...first, errors: [problem_] }] }), {
        message,
      })
    }
  })

  test('a file with other commands than its manifest names is told where they are asked for', async () => {
    const load = () => import('../example-module/commands.ts')
    const modules = [
      ...ours,
      { ...first, commands: [{ rows: [{ ...row, name: 'note add' }], load }] },
    ]
    const { code, stderr } = await gatehouse(folder(), 'note add', { modules })
    assert.equal(code, 1)
    assert.match(stderr, /has the commands note key, not note add/)
  })
})
