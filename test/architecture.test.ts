import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { allCommands } from '../src/core/cli/commands.ts'
import { assertDistinct, assertDistinctEvents } from '../src/core/module/registry.ts'
import { modules as manifests } from '../src/modules.ts'
import { imports as all, exportersOf, type Import, loadedBy, sources } from './imports.ts'

/** In their order: each may import those before it, and the core. `cli` stands above them. */
const modules = [...manifests.map(({ name }) => name).filter((name) => name !== 'core'), 'cli']

/** The parts of the core, in their order: each may import those before it. */
const coreParts = [
  'lib',
  'addresses',
  'hints',
  'limits',
  'measurements',
  'crypto',
  'error-table.ts',
  'errors.ts',
  'reason.ts',
  'reasons',
  'policy',
  'outbound',
  'password-strength',
  'secret-strength',
  'queues',
  'threads',
  'database',
  'queue',
  'runs',
  'workers',
  'config',
  'events',
  'runtime',
  'http',
  'checks',
  'module',
  'cli',
].map((part) => `core/${part}`)

/** Parts of http/, each of which may import those before it. */
const httpParts = [
  'media-types.ts',
  'schemas.ts',
  'declared-error.ts',
  'request-headers.ts',
  'response-headers.ts',
  'tags.ts',
  'events.ts',
  'headers.ts',
  'connections',
  'bodies',
  'limits',
  'context',
  'lists',
  'pages',
  'server',
  'changes',
  'routes',
  'refusals',
  'documents',
]

const imports = all.filter(({ to }) => to.startsWith('src/'))

/** `core/PART` for a file of the core; the name of the module, `cli`, or the file in the root of src. */
function placeOf(path: string): string {
  const [, area = '', folder = ''] = path.split('/')
  if (area === 'core') return `core/${folder}`
  return area === 'modules' || area === 'extras' ? folder : area
}

const sorted = (names: Iterable<string>) => [...names].toSorted()

const areas = ['core', 'modules', 'extras']
const areaOf = (path: string) => areas.indexOf(path.split('/')[1] ?? '')

/** A module.ts and the commands that it loads: the commands of the core stand above everything. */
const loadsCommands = ({ from, to, isLazy }: Import) => isLazy && isManifest(from) && isCommands(to)

const isCommands = (path: string) => /^src\/cli\/commands\/|\b(?:commands|command)\.ts$/.test(path)

const isManifest = (path: string) =>
  path === 'src/core/module/core.ts' ||
  (path.endsWith('/module.ts') && path !== 'src/core/module/module.ts')

suite('imports', () => {
  const upward = imports.filter((one) => !loadsCommands(one))

  test('every import goes where the rules of ARCHITECTURE.md let it go', () => {
    assert.ok(imports.length > 1000)
    const outlaws = imports.filter((one) => {
      const { from, to, typesOnly, isLazy } = one
      const [source, target] = [placeOf(from), placeOf(to)]
      // The command line, like app.ts, stands above everything.
      if (source === target || areaOf(from) < 0 || loadsCommands(one)) return false
      if (areaOf(from) === 0) return coreParts.indexOf(target) > coreParts.indexOf(source)
      if (target === 'core/runtime' && !isCommands(from)) return !typesOnly && !isLazy
      if (areaOf(to) === 0) return false
      return (
        areaOf(to) < 0 ||
        areaOf(to) > areaOf(from) ||
        modules.indexOf(target) > modules.indexOf(source)
      )
    })
    assert.deepEqual(outlaws, [])
  })

  test('every import within http/ goes to a part before its own', () => {
    const partOf = (path: string) => httpParts.indexOf(path.split('/')[3] ?? '')
    const outlaws = imports.filter(
      ({ from, to }) =>
        placeOf(from) === 'core/http' &&
        placeOf(to) === 'core/http' &&
        (partOf(to) < 0 || partOf(to) > partOf(from)),
    )
    assert.deepEqual(outlaws, [])
  })

  test('every folder of src/ is part of the core or a module', () => {
    const places = new Set(sources.filter((path) => areaOf(path) >= 0).map(placeOf))
    assert.deepEqual(
      sorted(places),
      sorted([...modules, ...coreParts].filter((one) => one !== 'cli')),
    )
  })

  test('there are no circles of files, by types and by values alike', () => {
    const next = Map.groupBy(upward, ({ from }) => from)
    const done = new Set<string>()
    const visit = (path: string, trail: readonly string[]): void => {
      assert.ok(!trail.includes(path), [...trail, path].join(' -> '))
      if (done.has(path)) return
      for (const { to } of next.get(path) ?? []) visit(to, [...trail, path])
      done.add(path)
    }
    for (const path of sources) visit(path, [])
  })

  test('the store of a module is imported by its own module', () => {
    const outlaws = imports.filter(
      ({ from, to, typesOnly }) =>
        !typesOnly &&
        /\/(?:[\w-]+-)?store\.ts$/.test(to) &&
        areaOf(to) > 0 &&
        placeOf(from) !== placeOf(to),
    )
    assert.deepEqual(outlaws, [])
  })

  test('a start loads nothing that only documents, pages, commands or a few services need', () => {
    const ofModules = imports.filter(
      (one) => isManifest(one.from) && !loadsCommands(one) && !one.to.endsWith('/checks.ts'),
    )
    const { files, packages } = loadedBy(['src/start.ts', ...ofModules.map(({ to }) => to)])
    assert.ok(files.size > 250)
    const later =
      /^src\/(?:cli\/|extras\/backup\/(?!module|monitoring|tables|settings|routes|schemas|services|runs|run-store|health|schedule|events|problems|reasons)|extras\/api-reference\/(?!module|routes)|core\/http\/documents\/(?!declared-routes))/
    assert.deepEqual(
      [...files].filter((path) => later.test(path)),
      [],
    )
    assert.deepEqual(sorted([...packages].filter((name) => !/^node:(?!http$)/.test(name))), [
      '@fastify/cookie',
      '@node-rs/argon2',
      '@node-rs/bcrypt',
      'fastify',
      'fastify-plugin',
      'kysely',
      'negotiator',
      'pino',
    ])
  })

  test('help and mistakes of the command line load no package: only a command that runs does', () => {
    const { files, packages } = loadedBy(['src/cli/run.ts'])
    assert.ok(files.size > 10)
    assert.deepEqual(
      [...packages].filter((name) => !name.startsWith('node:')),
      [],
    )
  })
})

/** What a manifest says of its module is all that its folder has. */
suite('manifests', () => {
  const loadedByManifests = imports.filter(({ from }) => isManifest(from))

  test('no name is in two, and no type of an event', async () => {
    assertDistinct(manifests)
    await assertDistinctEvents(manifests)
  })

  for (const [what, isOne] of [
    ['event types', (path) => path.endsWith('/events.ts') && path !== 'src/core/events/events.ts'],
    [
      'settings',
      (path) => /^src\/(?:core\/config|(?:modules|extras)\/[\w-]+)\/settings\.ts$/.test(path),
    ],
    ['commands', (path) => isCommands(path) && areaOf(path) !== 0],
  ] as const satisfies readonly (readonly [string, (path: string) => boolean])[]) {
    test(`every file of ${what} is in the manifest of its module`, () => {
      const files = new Set(loadedByManifests.map(({ to }) => to).filter(isOne))
      assert.deepEqual(sorted(files), sources.filter(isOne))
    })
  }

  test('every plugin of routes is loaded by its module', () => {
    const plugins = exportersOf('routes').filter((path) => areaOf(path) > 0)
    assert.ok(plugins.length > 20)
    const loaded = new Set(loadedByManifests.map(({ to }) => to))
    assert.deepEqual(
      plugins.filter((path) => !loaded.has(path)),
      [],
    )
  })

  test('every command of a manifest is exported by its file', async () => {
    const named = manifests.flatMap((module) => module.commands ?? [])
    const commands = await allCommands(manifests)
    assert.deepEqual(
      sorted(commands.map(({ name }) => name)),
      sorted(named.flatMap(({ rows }) => rows.map(({ name }) => name))),
    )
  })

  test('the services of modules need no service of an extra', async () => {
    const services = await Promise.all(
      manifests.map(async ({ name, services: load }) => ({ name, ...(await load?.()) })),
    )
    const isExtra = ({ name }: { name: string }) => sources.includes(`src/extras/${name}/module.ts`)
    const ofExtras = services.filter(isExtra).flatMap((one) => one.services ?? [])
    const made = new Set<string>(ofExtras.flatMap(({ makes }) => makes))
    assert.ok(made.size > 20)
    const outlaws = services
      .filter((one) => !isExtra(one))
      .flatMap((one) => [...(one.services ?? []), ...(one.hooks ?? [])])
      .flatMap(({ needs }) => needs.filter((need) => made.has(need)))
    assert.deepEqual(outlaws, [])
  })

  test('a manifest loads nothing: it imports types and small data of its own folder', () => {
    // A module's own migrations and problems are values; their files load nothing in turn.
    const values = /\/(?:tables|problems)\.ts$/
    const atOnce = imports.filter(({ typesOnly, isLazy }) => !typesOnly && !isLazy)
    const isPlain = (path: string) =>
      atOnce.every(
        ({ from, to }) => from !== path || to === 'src/core/database/migrations/statement.ts',
      )
    const outlaws = atOnce.filter(
      ({ from, to }) =>
        isManifest(from) && !(values.test(to) && placeOf(to) === placeOf(from) && isPlain(to)),
    )
    assert.deepEqual(outlaws, [])
  })
})
