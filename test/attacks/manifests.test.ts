import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Authenticator } from '../../src/core/http/routes/declaration.ts'
import { fileBeside, type Room, type RoomParts } from '../../src/core/module/room.ts'
import { loadParts } from '../../src/core/module/serve.ts'
import { anyone } from '../../src/core/policy/rules.ts'
import { rooms as ours } from '../../src/rooms.ts'
import type { Wired } from '../../src/services.ts'
import { testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { folder, place } from '../copies.ts'

type Manifest = Omit<Room<Wired>, 'name'>
type Parts = RoomParts<Wired>

const first: Room<Wired> = { name: 'first' }
const table = { name: 'things', key: ['id'] }
const problem = { name: 'thingMissing', status: 404, error: 'Thing not found' }
const row = { name: 'thing add', summary: 'Adds a thing' }
const command = { rows: [row], file: new URL('file:///nowhere.ts') }

const authenticator: Authenticator = {
  scheme: 'x-thing',
  header: null,
  missing: 'authenticationRequired',
  describes: { type: 'apiKey', in: 'header', name: 'X-Thing' },
  authenticate: async () => null,
}
const withParts = (parts: Parts): Manifest => ({ parts: async () => ({ parts }) })
const bringing =
  (...own: Authenticator[]): NonNullable<Parts['authenticators']> =>
  (_needs, before) => [...before, ...own]

const serving =
  (...urls: string[]): NonNullable<Parts['routes']> =>
  async (app) => {
    const config = { access: { rule: anyone } }
    for (const url of urls) app.get(url, { config }, async () => 'x')
  }

/** A file that exports this. */
const exporting = (text: string) => new URL(`data:text/javascript,${encodeURIComponent(text)}`)
const settingsIn = (name: string) =>
  exporting(
    `export const settings = { ${name}: { parse: String, secret: false, shown: '', doc: '' } }`,
  )
const eventsIn = (...names: string[]) =>
  exporting(
    names
      .map((name, index) => `export const e${index} = { name: '${name}', level: 'info' }`)
      .join('\n'),
  )

interface Doubled {
  readonly kind: string
  readonly name: string
  /** What both of two rooms have. */
  readonly both: Manifest
  /** The same twice in one room; null where one room cannot. */
  readonly twice: Manifest | null
  /** What a room of ours has as well, and its name. */
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
      'the table posts is named by the rooms posts',
    ],
  },
  {
    kind: 'event',
    name: 'thing_made',
    both: { events: eventsIn('thing_made') },
    twice: { events: eventsIn('thing_made', 'thing_made') },
    ofOurs: [
      { events: eventsIn('post_created') },
      'the event post_created is named by the rooms posts',
    ],
  },
  {
    kind: 'error',
    name: 'thingMissing',
    both: { errors: [problem] },
    twice: { errors: [problem, { ...problem, status: 410 }] },
    ofOurs: [{ errors: ['postNotFound'] }, 'the error postNotFound is named by the rooms posts'],
  },
  {
    kind: 'setting',
    name: 'THING',
    both: { settings: settingsIn('THING') },
    twice: null, // a table is an object
    ofOurs: [
      { settings: settingsIn('PORT') },
      'the setting PORT is named by the rooms settings-table.ts',
    ],
  },
  {
    kind: 'setting',
    name: 'PORT',
    both: { settings: ['PORT'] },
    twice: { settings: ['PORT', 'PORT'] },
    ofOurs: [{ settings: ['PORT'] }, 'the setting PORT is named by the rooms floor'],
  },
  {
    kind: 'command',
    name: 'thing add',
    both: { commands: [command] },
    twice: { commands: [{ ...command, rows: [row, row] }] },
    ofOurs: [
      { commands: [{ ...command, rows: [{ ...row, name: 'user add' }] }] },
      'the command user add is named by the rooms users',
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
      'the method password is named by the rooms accounts',
    ],
  },
  {
    kind: 'request header',
    name: 'x-thing',
    both: { requestHeaders: [{ name: 'X-Thing' }] },
    twice: { requestHeaders: [{ name: 'X-Thing' }, { name: 'x-thing' }] },
    ofOurs: [
      { requestHeaders: [{ name: 'x-csrf-token' }] },
      'the request header x-csrf-token is named by the rooms session',
    ],
  },
  {
    kind: 'scheme',
    name: 'x-thing',
    both: withParts({ authenticators: bringing(authenticator) }),
    twice: withParts({ authenticators: bringing(authenticator, authenticator) }),
    ofOurs: [
      withParts({ authenticators: bringing({ ...authenticator, scheme: 'bearer' }) }),
      'the scheme bearer is named by the rooms token',
    ],
  },
  {
    kind: 'route',
    name: 'GET /things/:',
    both: withParts({ routes: serving('/things/:id') }),
    twice: withParts({ routes: serving('/things/:id', '/things/:name') }),
    ofOurs: [
      withParts({ routes: serving('/users/:key') }),
      'the route GET /users/: is named by the rooms users',
    ],
  },
]

suite('a thing belongs to one room', () => {
  for (const { kind, name, both, twice, ofOurs } of doubled) {
    const rooms = (...more: Room<Wired>[]) => {
      const rest = kind === 'setting' && name === 'PORT' ? ours.slice(1) : ours
      return [...rest, ...more]
    }
    const told = `the ${kind} ${name} is named`

    test(`the ${kind} ${name} of two rooms stops the start, with both named`, async () => {
      const given = rooms({ ...first, ...both }, { name: 'second', ...both })
      await assert.rejects(testApp({}, { rooms: given }), {
        message: `${told} by the rooms first and second`,
      })
    })

    if (twice) {
      test(`the ${kind} ${name} twice in one room stops the start`, async () => {
        await assert.rejects(testApp({}, { rooms: rooms({ ...first, ...twice }) }), {
          message: `${told} twice by the room first`,
        })
      })
    }

    test(`a ${kind} of ours in another room stops the start, with both named`, async () => {
      const [manifest, message] = ofOurs
      await assert.rejects(testApp({}, { rooms: [...ours, { ...first, ...manifest }] }), {
        message: `${message} and first`,
      })
    })
  }

  test('the parts of all rooms are loaded at once, and answered in the order of the rooms', async () => {
    let isSecondAsked = false
    const loaded = await loadParts<Wired>([
      {
        ...first,
        async parts() {
          await nextTurn()
          return { parts: isSecondAsked ? { jobs: () => [] } : {} }
        },
      },
      {
        name: 'second',
        async parts() {
          isSecondAsked = true
          return { parts: {} }
        },
      },
    ])
    assert.deepEqual(
      loaded.map(({ name, jobs }) => [name, typeof jobs]),
      [
        ['first', 'function'],
        ['second', 'undefined'],
      ],
    )
  })

  test('parts that cannot be loaded stop the start, and neither help nor a command asks for them', async () => {
    const parts = () => Promise.reject(new Error('no such file'))
    const rooms = [...ours, { ...first, parts }]
    await assert.rejects(testApp({}, { rooms }), { message: 'no such file' })
    const { directory } = await place()
    for (const line of ['--help', 'migrate', 'account list']) {
      assert.equal((await gatehouse(directory, line, { rooms })).code, 0, line)
    }
  })

  test('a room that drops a scheme of another stops the start', async () => {
    const dropping = withParts({ authenticators: () => [authenticator] })
    await assert.rejects(testApp({}, { rooms: [...ours, { ...first, ...dropping }] }), {
      message: 'the room first drops the scheme client',
    })
  })

  test('two rooms of one name stop the start', async () => {
    await assert.rejects(testApp({}, { rooms: [...ours, { name: 'posts' }] }), {
      message: 'two rooms are named posts',
    })
  })

  test('a manifest that doubles a name leaves an empty database as it is', async () => {
    const { deps, tables, directory } = await place()
    const rooms = [...ours, { ...first, tables: [{ name: 'posts', key: ['id'] }] }]
    const { code, stderr } = await gatehouse(directory, 'migrate', { rooms })
    assert.deepEqual(
      [code, stderr],
      [1, 'error: the table posts is named by the rooms posts and first\n'],
    )
    assert.deepEqual(await tables(), [])
    await deps.db.destroy()
  })

  test('a problem with the name of a row of ours, or without a status of an error, stops the start', async () => {
    for (const [problem_, message] of [
      [
        { name: 'userNotFound', status: 404, error: 'Another text' },
        'the error userNotFound is named by the error table and by the room first',
      ],
      ...[200, 399, 600, 404.5].map(
        (status) =>
          [
            { name: 'odd', status, error: 'Odd' },
            'the error odd of the room first has no status from 400 to 599, or no text',
          ] as const,
      ),
    ] as const) {
      await assert.rejects(testApp({}, { rooms: [...ours, { ...first, errors: [problem_] }] }), {
        message,
      })
    }
  })

  test('a file with other commands than its manifest names is told where they are asked for', async () => {
    const file = fileBeside(import.meta.url, '../example-room/commands')
    const rooms = [
      ...ours,
      { ...first, commands: [{ rows: [{ ...row, name: 'note add' }], file }] },
    ]
    const { code, stderr } = await gatehouse(folder(), 'note add', { rooms })
    assert.equal(code, 1)
    assert.match(stderr, /has the commands note key, not note add/)
  })
})
