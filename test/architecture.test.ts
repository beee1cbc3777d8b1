import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { suite, test } from 'node:test'
import { allCommands } from '../src/core/cli/commands.ts'
import { errorTable } from '../src/core/error-table.ts'
import { assertDistinct, assertDistinctEvents } from '../src/core/module/registry.ts'
import { modules as manifests } from '../src/modules.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const sources = globSync('src/**/*.ts', { cwd: root })
  .filter((path) => !/(?:\.test|\/examples)\.ts$/.test(path))
  .sort()

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

/** What every reader of a module must know: it stays small. Lines, without unit tests. */
const shared = {
  folders: ['lib', 'crypto', 'policy', 'http/server', 'http/routes'],
  maxLines: 1800,
}

interface Import {
  readonly from: string
  readonly to: string
  readonly typesOnly: boolean
  /** By `import()`: loaded when that runs. */
  readonly isLazy: boolean
}

const statement = /^(?:import|export) (type )?([^'"]*?)from '(\.[^']+)'/gms
const expression = /\bimport\(\s*'(\.[^']+)'\s*\)/g

const imports: Import[] = sources.flatMap((from) => {
  const source = read(from)
  const statements = [...source.matchAll(statement)].map(([, type, names = '', path]) => ({
    path,
    typesOnly: type !== undefined || namesTypes(names),
    isLazy: false,
  }))
  const expressions = [...source.matchAll(expression)].map(([, path]) => ({
    path,
    typesOnly: false,
    isLazy: true,
  }))
  return [...statements, ...expressions].map(({ path = '', typesOnly, isLazy }) => ({
    from,
    to: normalize(join(dirname(from), path)),
    typesOnly,
    isLazy,
  }))
})

/** Whether each of the names in braces is a type: `{ type A, type B }`. */
function namesTypes(names: string): boolean {
  const [, inside] = names.match(/^\{(.*)\}\s*$/s) ?? []
  const each = (inside ?? '').split(',').map((name) => name.trim())
  return inside !== undefined && each.every((name) => name === '' || name.startsWith('type '))
}

/** `core/PART` for a file of the core; the name of the module, `cli`, or the file in the root of src. */
function placeOf(path: string): string {
  const [, area = '', folder = ''] = path.split('/')
  if (area === 'core') return `core/${folder}`
  return area === 'modules' || area === 'extras' ? folder : area
}

const sorted = (names: Iterable<string>) => [...names].toSorted()

const areas = ['core', 'modules', 'extras']
const areaOf = (path: string) => areas.indexOf(path.split('/')[1] ?? '')

/** The type of each table, with the file that has both. */
const schemaTables = sources.flatMap((path) => {
  const source = read(path)
  const [, schema = ''] = source.match(/^ *(?:export )?interface Schema \{(.*?)\n *\}/ms) ?? []
  return [...schema.matchAll(/^ +(\w+): (\w+)$/gm)].map(([, name = '', type = '']) => ({
    name,
    columns: source.match(new RegExp(`interface ${type} .*?\\{(.*?)\\n\\}`, 's'))?.[1] ?? '',
    path,
  }))
})
const query = new RegExp(
  String.raw`(?:From|Into|Table|Join|For|for\w+|table:)[(\s]+(?:\w+,\s*)?'(TABLE)\b|\b(?:from|into|update|join)\s+(TABLE)\b(?!')`.replaceAll(
    'TABLE',
    schemaTables.map(({ name }) => name).join('|'),
  ),
  'g',
)

/** A file without its comments. */
function code(path: string): string {
  return read(path)
    .replace(/^ *(?:\/\*\*|\*|\/\/).*$/gm, '')
    .replace(/ \/\/ .*$/gm, '')
}

/** The tables that a file names in a query, of Kysely's or in SQL. */
function tablesOf(path: string): string[] {
  const found = [...code(path).matchAll(query)].map(([, table, inSql]) => table ?? inSql ?? '')
  return [...new Set(found)]
}

/** A module.ts and the commands that it loads: the commands of the core stand above everything. */
const loadsCommands = ({ from, to, isLazy }: Import) => isLazy && isManifest(from) && isCommands(to)

const isCommands = (path: string) => /^src\/cli\/commands\/|\b(?:commands|command)\.ts$/.test(path)

const isManifest = (path: string) =>
  path === 'src/core/module/core.ts' ||
  (path.endsWith('/module.ts') && path !== 'src/core/module/module.ts')

/** The files that a start loads: what it imports, and what all modules import for it. */
function loadedByStart(): Set<string> {
  const values = imports.filter(({ typesOnly, isLazy }) => !typesOnly && !isLazy)
  const next = Map.groupBy(values, ({ from }) => from)
  const ofModules = imports.filter(
    (one) => isManifest(one.from) && !loadsCommands(one) && !one.to.endsWith('/checks.ts'),
  )
  const loaded = new Set(['src/start.ts', ...ofModules.map(({ to }) => to)])
  for (const path of loaded) for (const { to } of next.get(path) ?? []) loaded.add(to)
  return loaded
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
  const upward = imports.filter((one) => !loadsCommands(one))

  test('every import goes where the rules of ARCHITECTURE.md let it go', () => {
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
    const own = imports.filter(
      ({ from, to }) => placeOf(from) === 'core/http' && placeOf(to) === 'core/http',
    )
    const outlaws = own.filter(({ from, to }) => partOf(to) < 0 || partOf(to) > partOf(from))
    assert.ok(own.length > 50)
    assert.deepEqual(outlaws, [])
  })

  test('what every reader of a module must know stays small', () => {
    const own = sources.filter((path) =>
      shared.folders.includes(dirname(path).replace('src/core/', '')),
    )
    const lines = own.reduce((sum, path) => sum + read(path).split('\n').length - 1, 0)
    assert.ok(own.length > 20)
    assert.ok(lines < shared.maxLines, `${lines} lines`)
  })

  test('there are no circles between folders, by types and by values alike', () => {
    const next = Map.groupBy(
      upward
        .filter(({ to }) => areaOf(to) >= 0)
        .map(({ from, to }) => ({ from: placeOf(from), to: placeOf(to) })),
      ({ from }) => from,
    )
    assertNoCircles([...next.keys()], (place) =>
      (next.get(place) ?? []).map(({ to }) => to).filter((to) => to !== place),
    )
  })

  test('the core names no setting and no path of a module in its code', async () => {
    const settings = await Promise.all(
      manifests.map(async (one) => (await one.settings?.())?.settings),
    )
    const declared = manifests.flatMap(({ name }, index) =>
      name === 'core' ? [] : Object.keys(settings[index] ?? {}),
    )
    const table = read('docs/routes.txt').matchAll(/^(?:GET|POST|PUT|DELETE) +(\/\S+)/gm)
    const paths = new Set([...table].map(([, path = '']) => path))
    assert.ok(declared.length > 100 && paths.size > 150)
    const words = new Set([...declared, ...[...paths].filter((path) => path.length > 1)])
    const named = sources
      .filter((path) => areaOf(path) === 0 && !path.includes('/migrations/'))
      .flatMap((path) =>
        [...code(path).matchAll(/\/[\w{}*./:-]+|\b[A-Z][A-Z\d]*(?:_[A-Z\d]+)+\b/g)]
          .filter(([word]) => words.has(word))
          .map(([word]) => `${path.replace('src/core/', '')} ${word}`),
      )
    assert.deepEqual(sorted(new Set(named)), [
      'checks/answers.ts /api/public/status', // by which a check knows the service
      'http/documents/openapi.ts /login', // for a newcomer, the first words of the document
      'http/documents/openapi.ts /refresh',
      'http/schemas.ts /api/v2/users', // how to read a long list
      'reasons/access.ts CLIENTS_FILE', // a client is a principal of the core
    ])
  })

  test('src/ has three areas, the command line and at most six files', () => {
    assert.deepEqual(sorted(new Set(sources.map((path) => path.split('/')[1] ?? ''))), [
      'app.ts',
      'cli',
      'core',
      'extras',
      'main.ts',
      'modules',
      'modules.ts',
      'start.ts',
      'test-service.ts',
      'testing.ts',
    ])
  })

  test('every folder of src/ is part of the core or a module', () => {
    const places = new Set(sources.filter((path) => areaOf(path) >= 0).map(placeOf))
    const named = [...modules.filter((name) => name !== 'cli'), ...coreParts]
    assert.deepEqual(sorted(places), sorted(named))
  })

  test('a start loads nothing that only documents, pages, commands or a few services need', () => {
    const loaded = [...loadedByStart()]
    assert.ok(loaded.length > 250)
    const later =
      /^src\/(?:cli\/|extras\/backup\/(?!module|monitoring|tables|settings|routes|schemas|services|runs|run-store|health|schedule|events|reasons)|extras\/api-reference\/(?!module|routes)|core\/http\/documents\/(?!declared-routes))/
    assert.deepEqual(
      loaded.filter((path) => later.test(path)),
      [],
    )
    const packages = new Set(
      loaded.flatMap((path) =>
        [...read(path).matchAll(/^(?:import|\}) (?!type )[^;']*?from '([^.'][^']*)'/gm)]
          .map(([, name = '']) => name)
          .filter((name) => !/^node:(?!http$)/.test(name)),
      ),
    )
    assert.deepEqual([...packages].sort(), [
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

  test('there are no circles of files, by types and by values alike', () => {
    const next = Map.groupBy(upward, ({ from }) => from)
    assertNoCircles(sources, (path) => (next.get(path) ?? []).map(({ to }) => to))
  })

  test('a module is entered through the file that owns the word, never through one with queries', () => {
    const queries = sources.filter(
      (path) => modules.includes(placeOf(path)) && tablesOf(path).length,
    )
    assert.ok(queries.length > 20)
    const outlaws = imports.filter(
      ({ from, to, typesOnly }) =>
        !typesOnly &&
        queries.includes(to) &&
        placeOf(from) !== placeOf(to) &&
        !placeOf(from).endsWith('.ts'), // services.ts puts all of them together
    )
    assert.deepEqual(outlaws, [])
  })

  test('what a login requires is asked in the table of requirements alone', () => {
    const asked: readonly (readonly [string, RegExp, readonly string[]])[] = [
      // Who may administer is the rule of the last administrator; a change ends by what was before.
      [
        'usable',
        /\bisUsable\(|\.active &&|!\w*\.?locked\b/,
        ['modules/accounts/account-update.ts', 'modules/authentication/account.ts'],
      ],
      // What a success forgets, and a failure counts.
      ['locked out', /\.lockedUntil\b/, ['modules/accounts/lock.ts']],
      ['versions', /[rR]efreshVersion [!=]==|[!=]== [\w.]*refreshVersion/, []],
      ['second factor missing', /\brequiredOf\b/, []],
      // What a change ends depends on what it changes.
      [
        'must change',
        /!\w+\.mustChange|if \([\w.]*mustChange\)/,
        ['modules/accounts/account-update.ts'],
      ],
    ]
    const own = /^src\/modules\/authentication\/(?:requirement|settings)|^src\/core\/config\//
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
        !/^src\/core\/(?:lib|crypto)\//.test(path) &&
        /Date\.now|new Date\(\)|randomBytes|randomUUID|Math\.random/.test(read(path)),
    )
    assert.deepEqual(outlaws, [])
  })

  test('statuses and error texts stand in the error table, and in the problems of a module', () => {
    const { errorTable } =
      read('src/core/error-table.ts').match(/errorTable = \{(?<errorTable>.*?)\n\}/s)?.groups ?? {}
    const texts = [...(errorTable ?? '').matchAll(/error: '([^']+)'/g)].map(([, text = '']) => text)
    assert.ok(texts.length > 20)
    const outlaws = sources.filter(
      (path) =>
        path !== 'src/core/error-table.ts' &&
        !path.endsWith('/events.ts') && // the console says of an event what an answer says as well
        texts.some((text) => read(path).includes(`'${text}'`)),
    )
    assert.deepEqual(outlaws, [])
  })

  test('no code is made from text, and no SQL from input', () => {
    const outlaws = sources.filter((path) =>
      /\beval\(|new Function|node:vm|child_process|sql\.raw|new RegExp\(/.test(read(path)),
    )
    assert.deepEqual(outlaws, [])
  })
})

/** What a manifest says of its module is all that its folder has. */
suite('manifests', () => {
  const filesOf = (module: string) => sources.filter((path) => placeOf(path) === module)
  const own = manifests.filter(({ name }) => name !== 'core')

  test('every module has one, by the name of its folder, and no name is in two', () => {
    assertDistinct(manifests)
    for (const { name } of own) {
      const [file = ''] = filesOf(name).filter((path) => path.endsWith('/module.ts'))
      assert.match(read(file), /export const module: Module\b/, name)
      assert.match(
        read('src/modules.ts'),
        new RegExp(`from './(?:modules|extras)/${name}/module.ts'`),
      )
    }
  })

  test('every table of the schema belongs to the module whose folder has its type', () => {
    assert.ok(schemaTables.length > 20)
    for (const module of manifests) {
      const [name, tables] = [module.name, module.tables ?? []]
      const typed = schemaTables.filter(
        ({ path }) => placeOf(path) === (name === 'core' ? 'core/database' : name),
      )
      assert.deepEqual(
        sorted(tables.map((table) => table.name)),
        sorted(typed.map((table) => table.name)),
      )
    }
  })

  const ownerOf = new Map(
    manifests.flatMap(({ name, tables = [] }) => tables.map((table) => [table.name, name])),
  )

  test('a table is written by its own module', () => {
    // An import writes and removes by the thousand, and loses names to accounts that are made
    // meanwhile; tokens raise the versions that they are judged by. The verified address stands in
    // the row of its account, since logins and tokens read it with the account: the modules of
    // addresses and mail write these columns alone, with what the mail server said of the address. The
    // wrong tries of a code stand in the row of the mail that carries it.
    const allowed = [
      'accounts imports',
      'email-addresses accounts',
      'import-export accounts',
      'import-export import_names',
      'import-export imports',
      'import-export row_counts',
      'import-export users',
      'mail accounts',
      'one-time-tokens mails',
      'tokens token_versions',
    ]
    const change = /(?:insertInto|updateTable|deleteFrom)\(\s*'(\w+)|\btable: '(\w+)'/g
    const written = modules.flatMap((module) =>
      filesOf(module)
        .filter((path) => !path.endsWith('/module.ts'))
        .flatMap((path) =>
          [...read(path).matchAll(change)].map(([, table, expired]) => ({
            module,
            table: table ?? expired ?? '',
          })),
        ),
    )
    assert.ok(written.length > 40)
    const outlaws = written.filter(({ module, table }) => ownerOf.get(table) !== module)
    assert.deepEqual(
      sorted(new Set(outlaws.map(({ module, table }) => `${module} ${table}`))),
      allowed,
    )
  })

  test('a file reaches the tables of its own module and of those before it', () => {
    // A session ends, accounts are listed by their providers, a notice names the
    // providers, a person gets a key, and a verification asks which account lacks a key, by a statement
    // that joins what is below and above.
    const joined = ['identities', 'sessions']
    const allowed = [
      ...joined.map((table) => `accounts ${table}`),
      ...['audit accounts', 'audit users'],
      'one-time-tokens mails',
    ]
    const reached = modules.flatMap((module) =>
      filesOf(module).flatMap((path) => tablesOf(path).map((table) => ({ module, table }))),
    )
    assert.ok(reached.length > 35)
    const outlaws = reached.filter(({ module, table }) => {
      const owner = ownerOf.get(table) ?? ''
      return (
        owner !== 'core' && !(modules.indexOf(owner) <= modules.indexOf(module) && owner !== '')
      )
    })
    const names = new Set(outlaws.map(({ module, table }) => `${module} ${table}`))
    assert.deepEqual(sorted(names), allowed)
  })

  test('every column that names a user is told, with what becomes of its row', () => {
    const columnsOf = new Map(schemaTables.map(({ name, columns }) => [name, columns]))
    for (const { tables = [] } of manifests) {
      for (const { name, person } of tables) {
        const columns = columnsOf.get(name) ?? ''
        const naming = columns.match(/^ +(user_id|account|author_id|owner_id)\b/m)?.[1]
        assert.equal(person?.column, naming, name)
      }
    }
  })

  test('every file of event types is in the manifest of its module, and each type once', async () => {
    await assertDistinctEvents(manifests)
    const files = imports.filter(({ from, to }) => isManifest(from) && to.endsWith('/events.ts'))
    for (const { from, to } of files) {
      const folder =
        from === 'src/core/module/core.ts'
          ? 'core/(http|runtime)'
          : `(modules|extras)/${placeOf(from)}`
      assert.match(to, new RegExp(`^src/${folder}/events\\.ts$`))
    }
    const there = sources.filter(
      (path) => /\/events\.ts$/.test(path) && path !== 'src/core/events/events.ts',
    )
    assert.deepEqual(sorted(files.map(({ to }) => to)), sorted(there))
  })

  // The others of spec section 7 are the errors of several modules, or of the core.
  const ofSection7 = new Set(['nameAndEmailRequired', 'noTokenProvided', 'invalidToken'])

  test('an error of a module refuses in its files, and a row of the table in the core or in several modules', () => {
    const files = new Map(
      sources
        .filter((path) => /^(?:[^/]+\/){3}problems\.ts$/.test(path))
        .map((path) => [placeOf(path), read(path)]),
    )
    const having = manifests.filter(({ errors }) => errors).map(({ name }) => name)
    assert.deepEqual(sorted(having), sorted(files.keys()))
    const using = (text: string) =>
      sources.filter(
        (path) => !/\/(?:module|problems|error-table)\.ts$/.test(path) && read(path).includes(text),
      )
    for (const { name, errors = [] } of manifests) {
      for (const error of errors) {
        const value = files
          .get(name)
          ?.match(`(\\w+): Problem = \\{\\n {2}name: '${error.name}'`)?.[1]
        assert.ok(value && using(value).some((path) => placeOf(path) === name), error.name)
      }
    }
    for (const name of Object.keys(errorTable)) {
      const places = new Set(using(`'${name}'`).map(placeOf))
      const isOfCore = [...places].some((place) => place.startsWith('core'))
      assert.ok(isOfCore || places.size > 1 || ofSection7.has(name), `${name}: ${[...places]}`)
    }
  })

  test('every file of settings is in the manifest of its module', () => {
    const files = imports.filter(({ from, to }) => isManifest(from) && to.endsWith('/settings.ts'))
    const there = sources.filter((path) =>
      /^src\/(?:core\/config|modules\/[^/]+|extras\/[^/]+)\/settings\.ts$/.test(path),
    )
    assert.deepEqual(sorted(files.map(({ to }) => to)), sorted(there))
  })

  test('every file of commands is named, with what it exports', async () => {
    const named = manifests.flatMap((module) => module.commands ?? [])
    const files = imports.filter(loadsCommands).map(({ to }) => to)
    const there = sources.filter((path) => isCommands(path) && areaOf(path) !== 0)
    assert.deepEqual(sorted(files), sorted(there))
    const commands = await allCommands(manifests)
    assert.deepEqual(
      sorted(commands.map(({ name }) => name)),
      sorted(named.flatMap(({ rows }) => rows.map(({ name }) => name))),
    )
  })

  test('the services of modules need no service of an extra', async () => {
    const all = await Promise.all(
      manifests.map(async ({ name, services }) => ({ name, ...(await services?.()) })),
    )
    const isExtra = ({ name }: { name: string }) => sources.includes(`src/extras/${name}/module.ts`)
    const ofExtras = all.filter(isExtra).flatMap(({ services = [] }) => services)
    const made = new Set<string>(ofExtras.flatMap(({ makes }) => makes))
    assert.ok(made.size > 20)
    const outlaws = all
      .filter((one) => !isExtra(one))
      .flatMap(({ services = [], hooks = [] }) => [...services, ...hooks])
      .flatMap(({ needs }) => needs.filter((need) => made.has(need)))
    assert.deepEqual(outlaws, [])
  })

  test('every plugin of routes, and every authenticator, is loaded by its module', () => {
    const plugin = /^export (?:async )?function (routes|\w+Authenticator|externalBearer)\(/gm
    const manifestOf = new Map(
      sources.filter(isManifest).map((path) => [placeOf(path), read(path)]),
    )
    let found = 0
    for (const module of modules) {
      for (const path of filesOf(module)) {
        for (const [, name = ''] of read(path).matchAll(plugin)) {
          found += 1
          const loads =
            name === 'routes' ? `import('./${path.split('/').slice(3).join('/')}')` : name
          assert.ok(manifestOf.get(module)?.includes(loads), path)
        }
      }
    }
    assert.ok(found > 20)
  })

  test('every way to prove who logs in is a method of its module', () => {
    // The page of a sign-up has set the password in the same request, and signs its owner in by it.
    const allowed = ['src/extras/sign-up/pages/new-session.ts']
    const proving = modules.filter((module) =>
      filesOf(module).some(
        (path) =>
          !allowed.includes(path) &&
          /\baccount, amr: \['/.test(read(path).replace(/methods:.*/g, '')),
      ),
    )
    assert.deepEqual(
      proving,
      own.filter(({ methods = [] }) => methods.length > 0).map(({ name }) => name),
    )
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
