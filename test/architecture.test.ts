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
  'users',
  'accounts',
  'strength',
  'totp',
  'session',
  'token',
  'transfer',
  'basic',
  'external',
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
  policy: ['kernel'],
  database: ['kernel'],
  events: ['kernel', 'database'],
  http: ['kernel', 'policy', 'database', 'events'],
}

/** Their types may be imported by all; what they are made of, by few. */
const top = ['deps.ts', 'config.ts', 'settings-table.ts', 'oidc-settings.ts']

interface Import {
  readonly from: string
  readonly to: string
  readonly typesOnly: boolean
}

const imports: Import[] = sources.flatMap((from) =>
  [...read(from).matchAll(/^import (type )?[^'"]*?from '(\.[^']+)'/gms)].map(
    ([, type, path = '']) => ({
      from,
      to: normalize(join(dirname(from), path)),
      typesOnly: type !== undefined,
    }),
  ),
)

function placeOf(path: string): string {
  return path.split('/')[1] ?? ''
}

suite('architecture', () => {
  test('every import goes where the rules of ARCHITECTURE.md let it go', () => {
    const outlaws = imports.filter(({ from, to, typesOnly }) => {
      const [source, target] = [placeOf(from), placeOf(to)]
      // The command line, like app.ts, stands above everything.
      if (source === target || source === 'cli' || source.endsWith('.ts')) return false
      if (top.includes(target)) return !typesOnly && target === 'deps.ts'
      if (target.endsWith('.ts')) return true
      if (source in floor) return !floor[source]?.includes(target)
      if (target in floor) return false
      return rooms.indexOf(target) > rooms.indexOf(source)
    })
    assert.deepEqual(outlaws, [])
  })

  test('every folder of src/ is part of the floor or a room', () => {
    const places = new Set(sources.map(placeOf).filter((place) => !place.endsWith('.ts')))
    assert.deepEqual([...places].sort(), [...rooms, ...Object.keys(floor)].sort())
  })

  test('there are no circles of imports', () => {
    const next = Map.groupBy(
      imports.filter(({ typesOnly }) => !typesOnly),
      ({ from }) => from,
    )
    const done = new Set<string>()
    const visit = (path: string, trail: readonly string[]): void => {
      assert.ok(!trail.includes(path), [...trail, path].join(' -> '))
      if (done.has(path)) return
      for (const { to } of next.get(path) ?? []) visit(to, [...trail, path])
      done.add(path)
    }
    for (const path of sources) visit(path, [])
  })

  test('a room is entered through the file that owns the word, never through its store', () => {
    const outlaws = imports.filter(
      ({ from, to, typesOnly }) =>
        !typesOnly && to.endsWith('/store.ts') && placeOf(from) !== placeOf(to),
    )
    assert.deepEqual(outlaws, [])
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
