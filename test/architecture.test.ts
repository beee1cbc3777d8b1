import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { suite, test } from 'node:test'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const sources = globSync('src/**/*.ts', { cwd: root })
  .filter((path) => !path.endsWith('.test.ts'))
  .sort()

/** Each may import those before it, and the floor. */
const rooms = [
  'keys',
  'idempotency',
  'throttle',
  'authentication',
  'users',
  'passwords',
  'accounts',
  'totp',
  'session',
  'token',
  'transfer',
  'basic',
  'federation',
  'login',
  'posts',
  'health',
  'statistics',
  'docs',
  'backup',
  'cli',
]

/** What each part of the floor may import besides itself. */
const floor: Record<string, readonly string[]> = {
  kernel: [],
  addresses: [],
  bounded: ['kernel'],
  policy: ['kernel'],
  strength: ['kernel'],
  database: ['kernel'],
  events: ['kernel', 'database'],
  config: ['kernel', 'addresses', 'strength', 'database'],
  runtime: ['kernel', 'database', 'config', 'events'],
  http: ['kernel', 'addresses', 'bounded', 'policy', 'database', 'events', 'config', 'runtime'],
}

/** Parts of http/, each of which may import those before it. */
const httpParts = [
  'schemas.ts',
  'headers.ts',
  'connections',
  'bodies',
  'limits',
  'lists',
  'server',
  'changes',
  'routes',
  'documents',
]

/** What every reader of a room must know: it stays small. Lines, without unit tests. */
const core = { folders: ['kernel', 'policy', 'http/server', 'http/routes'], maxLines: 1800 }

interface Import {
  readonly from: string
  readonly to: string
  readonly typesOnly: boolean
}

const statement = /^(?:import|export) (type )?[^'"]*?from '(\.[^']+)'/gms
const expression = /\bimport\(\s*'(\.[^']+)'\s*\)()/g

const imports: Import[] = sources.flatMap((from) => {
  const source = read(from)
  const statements = [...source.matchAll(statement)].map(([, type, path]) => ({ type, path }))
  const expressions = [...source.matchAll(expression)].map(([, path, type]) => ({ type, path }))
  return [...statements, ...expressions].map(({ type, path = '' }) => ({
    from,
    to: normalize(join(dirname(from), path)),
    typesOnly: type !== undefined && type !== '',
  }))
})

function placeOf(path: string): string {
  return path.split('/')[1] ?? ''
}

function assertNoCircles(from: readonly string[], next: (name: string) => string[]): void {
  const done = new Set<string>()
  const visit = (name: string, trail: readonly string[]): void => {
    assert.ok(!trail.includes(name), [...trail, name].join(' -> '))
    if (done.has(name)) return
    for (const to of next(name)) visit(to, [...trail, name])
    done.add(name)
  }
  for (const name of from) visit(name, [])
}

suite('architecture', () => {
  test('every import goes where the rules of ARCHITECTURE.md let it go', () => {
    const outlaws = imports.filter(({ from, to, typesOnly }) => {
      const [source, target] = [placeOf(from), placeOf(to)]
      if (source === target || source === 'cli') return false
      if (source in floor && !floor[source]?.includes(target)) return true
      // The command line, like app.ts, stands above everything.
      if (source.endsWith('.ts')) return false
      if (target === 'runtime') return !typesOnly
      if (target in floor) return false
      return target.endsWith('.ts') || rooms.indexOf(target) > rooms.indexOf(source)
    })
    assert.deepEqual(outlaws, [])
  })

  test('every import within http/ goes to a part before its own', () => {
    const partOf = (path: string) => httpParts.indexOf(path.split('/')[2] ?? '')
    const own = imports.filter(({ from, to }) => placeOf(from) === 'http' && placeOf(to) === 'http')
    const outlaws = own.filter(({ from, to }) => partOf(to) < 0 || partOf(to) > partOf(from))
    assert.ok(own.length > 50)
    assert.deepEqual(outlaws, [])
  })

  test('what every reader of a room must know stays small', () => {
    const own = sources.filter((path) => core.folders.includes(dirname(path).replace('src/', '')))
    const lines = own.reduce((sum, path) => sum + read(path).split('\n').length - 1, 0)
    assert.ok(own.length > 20)
    assert.ok(lines < core.maxLines, `${lines} lines`)
  })

  test('there are no circles between folders, by types and by values alike', () => {
    const next = Map.groupBy(
      imports.map(({ from, to }) => ({ from: placeOf(from), to: placeOf(to) })),
      ({ from }) => from,
    )
    assertNoCircles([...next.keys()], (place) =>
      (next.get(place) ?? []).map(({ to }) => to).filter((to) => to !== place),
    )
  })

  test('every folder of src/ is part of the floor or a room', () => {
    const places = new Set(sources.map(placeOf).filter((place) => !place.endsWith('.ts')))
    const parts = Object.keys(floor).filter((part) => !part.endsWith('.ts'))
    assert.deepEqual([...places].sort(), [...rooms, ...parts].sort())
  })

  test('there are no circles of imports', () => {
    const next = Map.groupBy(
      imports.filter(({ typesOnly }) => !typesOnly),
      ({ from }) => from,
    )
    assertNoCircles(sources, (path) => (next.get(path) ?? []).map(({ to }) => to))
  })

  test('a room is entered through the file that owns the word, never through its store', () => {
    const outlaws = imports.filter(
      ({ from, to, typesOnly }) =>
        !typesOnly && to.endsWith('/store.ts') && placeOf(from) !== placeOf(to),
    )
    assert.deepEqual(outlaws, [])
  })

  test('what a login requires is asked in the table of requirements alone', () => {
    const asked: readonly (readonly [string, RegExp, readonly string[]])[] = [
      // Who may administer is the rule of the last administrator; a change ends by what was before.
      [
        'usable',
        /\bisUsable\(|\.active &&|!\w*\.?locked\b/,
        ['accounts/wanted-change.ts', 'authentication/account.ts'],
      ],
      // What a success forgets, and a failure counts.
      ['locked out', /\.lockedUntil\b/, ['accounts/lock.ts']],
      ['versions', /[rR]efreshVersion [!=]==|[!=]== [\w.]*refreshVersion/, []],
      ['second factor missing', /\brequiredOf\b/, []],
      // What a change ends depends on what it changes.
      ['must change', /!\w+\.mustChange|if \([\w.]*mustChange\)/, ['accounts/wanted-change.ts']],
    ]
    const own = /^src\/authentication\/requirement|^src\/config\//
    for (const [predicate, text, allowed] of asked) {
      const files = sources.filter((path) => !own.test(path) && text.test(read(path)))
      assert.deepEqual(
        files.map((path) => path.replace('src/', '')),
        allowed,
        predicate,
      )
    }
  })

  test('time and randomness come from deps', () => {
    const outlaws = sources.filter(
      (path) =>
        !path.startsWith('src/kernel/') &&
        /Date\.now|new Date\(\)|randomBytes|randomUUID|Math\.random/.test(read(path)),
    )
    assert.deepEqual(outlaws, [])
  })

  test('statuses and error texts stand in kernel/errors.ts alone', () => {
    const { errorTable } =
      read('src/kernel/errors.ts').match(/errorTable = \{(?<errorTable>.*?)\n\}/s)?.groups ?? {}
    const texts = [...(errorTable ?? '').matchAll(/error: '([^']+)'/g)].map(([, text = '']) => text)
    assert.ok(texts.length > 20)
    const outlaws = sources.filter(
      (path) =>
        path !== 'src/kernel/errors.ts' && texts.some((text) => read(path).includes(`'${text}'`)),
    )
    assert.deepEqual(outlaws, [])
  })

  test('no code is made from text, and no SQL from input', () => {
    const outlaws = sources.filter((path) =>
      /\beval\(|new Function|node:vm|child_process|sql\.raw|new RegExp\(/.test(read(path)),
    )
    assert.deepEqual(outlaws, [])
  })

  test('ARCHITECTURE.md names every folder and file of the tree', () => {
    const map = read('ARCHITECTURE.md')
    const missing = sources.filter((path) => !map.includes(path.split('/').at(-1) ?? path))
    assert.deepEqual(missing, [])
  })
})
