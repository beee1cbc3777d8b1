// A database makes a difference: a module from outside has tables and migrations of its own.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { describeService } from '../../src/cli/documents.ts'
import { loadConfig } from '../../src/core/config/load.ts'
import { settingsOf } from '../../src/core/config/module-settings.ts'
import { latestSchema } from '../../src/core/database/migrate.ts'
import { databaseFileName } from '../../src/core/database/sqlite/connect.ts'
import type { RecordedEvent } from '../../src/core/events/events.ts'
import { describeRoutes } from '../../src/core/http/documents/route-table.ts'
import type { Module } from '../../src/core/module/module.ts'
import { settingsOfModules } from '../../src/core/module/settings.ts'
import { anyone } from '../../src/core/policy/rules.ts'
import { tablesOf } from '../../src/extras/backup/copied-tables.ts'
import { accountIn } from '../../src/modules/accounts/accounts.ts'
import { addedRequirements } from '../../src/modules/authentication/requirement-cells.ts'
import { createRequirements } from '../../src/modules/authentication/requirements.ts'
import { modules as ours } from '../../src/modules.ts'
import { generateDocs, readDoc } from '../../tools/docs.ts'
import { passwordOf, testApp } from '../app.ts'
import { backup, loadDump, restore } from '../backups.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { folder, passphrase, place, restoring } from '../copies.ts'
import { sqliteOnly } from '../database.ts'
import { allRoutes, newCaller, type ShownRoute, send, worldOf } from '../examples.ts'
import { assertRefusal } from '../refusal.ts'
import { builtPagesOf } from './built-pages.ts'
import { commands as commandExamples, examples } from './examples.ts'
import { module } from './module.ts'
import { settings } from './settings.ts'
import { noteStore } from './store.ts'

/** The one line that a program with another module has. */
const modules = [...ours, module]

suite('a module from outside', async () => {
  const app = await testApp({ NOTES_KEEP_DAYS: '7', LOG_LEVEL: 'trace' }, { modules })
  const ann = await app.account('ann')
  const bob = await app.account('bob')
  const admin = app.basic(app.admin)
  const keyOf = async (username: string) => {
    const { code, stdout } = await gatehouse(app.directory, `note key ${username} --json`, {
      modules,
    })
    assert.equal(code, 0)
    return { 'x-note-key': String(JSON.parse(stdout).key) }
  }
  const annsKey = await keyOf('ann')
  const write = async (text = 'milk', headers: Record<string, string> = annsKey) =>
    app.call('POST', '/api/notes', { headers, json: { text } })

  test('its command makes a key, of which the digest alone is stored', async () => {
    const rows = JSON.stringify((await app.rows()).note_keys)
    assert.ok(rows.includes(`"user_id":${ann.userId}`))
    assert.ok(!rows.includes(annsKey['x-note-key']))
    const { code, stderr } = await gatehouse(app.directory, 'note key nobody', { modules })
    assert.deepEqual([code, stderr], [3, 'error: no such account\n'])
    const { stdout } = await gatehouse(app.directory, '--help', { modules })
    assert.match(stdout, /^ {2}note key <username> +Makes a key/m)
  })

  test('its scheme proves the caller, and its event tells the scheme', async () => {
    const made = await write()
    assert.deepEqual([made.status, made.body.text, made.body.locked], [201, 'milk', false])
    assert.ok(made.headers.etag)
    const { event, by, scheme, note_id, owner_id } =
      app.log.findLast((line) => line.event === 'note_written') ?? {}
    assert.deepEqual(
      { event, by, scheme, note_id, owner_id },
      {
        event: 'note_written',
        by: String(ann.userId),
        scheme: 'x-note-key',
        note_id: made.body.id,
        owner_id: ann.userId,
      },
    )
  })

  for (const [what, headers] of [
    ['absent', {}],
    ['empty', { 'x-note-key': '' }],
    ['wrong', { 'x-note-key': 'x'.repeat(43) }],
    ['huge', { 'x-note-key': 'x'.repeat(8000) }],
  ] as const) {
    test(`a key that is ${what} is refused, and nothing changes`, async () => {
      const before = await app.rows()
      const answer = await write('milk', headers)
      assertRefusal(answer, 401, 'Authentication required')
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('a scheme of the Authorization header is asked and challenged as ours are', async () => {
    const example = { authorization: `Example ${annsKey['x-note-key']}` }
    assert.equal((await write('milk', example)).status, 201)
    const refused = await write('milk', { authorization: 'Example unknown' })
    assertRefusal(refused, 401, 'Authentication required')
    const ours = ['Basic realm="API", charset="UTF-8"', 'Bearer realm="API"']
    assert.deepEqual(refused.headers['www-authenticate'], [...ours, 'Example realm="API"'])
    const elsewhere = await app.call('GET', '/users', { headers: example })
    assertRefusal(elsewhere, 401, 'Authentication required')
    assert.deepEqual(elsewhere.headers['www-authenticate'], ours)
    const why = `/api/admin/explain/${elsewhere.headers['x-request-id']}`
    const { body } = await app.call('GET', why, { headers: admin })
    assert.deepEqual(body.facts, {
      accepted: ['basic', 'session', 'bearer'],
      sent_scheme: 'example',
    })
  })

  test('a scheme is accepted on a route of ours whose operation it names', async () => {
    const me = (headers: Record<string, string>) => app.call('GET', '/api/me', { headers })
    const found = await me({ authorization: `Example ${annsKey['x-note-key']}` })
    assert.deepEqual([found.status, found.body.sub], [200, String(ann.userId)])
    const absent = await me(annsKey)
    assertRefusal(absent, 401, 'No token provided')
    const challenges = ['Bearer realm="API"', 'Example realm="API"']
    assert.deepEqual(absent.headers['www-authenticate'], challenges)
    const example = await me({ authorization: 'Example unknown' })
    assertRefusal(example, 401, 'No token provided')
    assert.deepEqual(example.headers['www-authenticate'], challenges)
    assertRefusal(await me({ authorization: 'Bearer unknown' }), 401, 'Invalid token')
    const careless: Module = {
      ...module,
      authenticators: async () => {
        const addOwn = await module.authenticators?.()
        return (needs, before) =>
          (addOwn?.(needs, before) ?? []).map((one) =>
            one.scheme === 'x-example' ? { ...one, operations: ['getNothing'] } : one,
          )
      },
    }
    await assert.rejects(testApp({}, { modules: [...ours, careless] }), {
      message: 'the scheme x-example names the operation getNothing, which no route has',
    })
  })

  test('a stage of its own asks what its cells say, and a requirement of its own is asked there', async () => {
    const carl = await app.account('carl')
    const key = await keyOf('carl')
    const { db } = app.deps
    await db
      .updateTable('passwords')
      .set({ must_change: 1 })
      .where('account', '=', carl.userId)
      .execute()
    assertRefusal(await write('milk', app.basic(carl)), 401, 'Authentication required')
    assert.equal((await write('milk', key)).status, 201)
    assert.equal((await write('milk', admin)).status, 201)
    const refused = await write('milk', await keyOf(app.admin.username))
    assertRefusal(refused, 401, 'Authentication required')
    const why = `/api/admin/explain/${refused.headers['x-request-id']}`
    const { body } = await app.call('GET', why, { headers: admin })
    assert.deepEqual([body.code, body.facts.asked_of], ['x-no-administrator', 'x-note-key'])
  })

  test('a stage that two modules add stops the start, with both named; one that none adds is refused', async () => {
    const other: Module = { name: 'other', requirements: () => import('./requirements.ts') }
    await assert.rejects(addedRequirements([module, other]), {
      message: 'the stage x-note-key is named by the modules notes and other',
    })
    const requirements = createRequirements(app.deps)
    const account = await accountIn(app.deps.db, ann.userId)
    assert.ok(account)
    assert.throws(() => requirements.unmet('x-note-key', { account }), {
      message: 'no module adds the stage x-note-key',
    })
  })

  test('an operator is told why its key is refused', async () => {
    const refused = await write('milk', { 'x-note-key': 'unknown' })
    assertRefusal(refused, 401, 'Authentication required')
    const path = `/api/admin/explain/${refused.headers['x-request-id']}`
    const { body } = await app.call('GET', path, { headers: admin })
    assert.deepEqual(
      [body.code, body.guard, body.explanation],
      ['x-note-key-unknown', 'credential', 'No device has the key that was sent as X-Note-Key.'],
    )
  })

  test('every scheme of ours works beside it', async () => {
    for (const headers of [app.basic(ann), await app.bearer(ann), await app.session(ann)]) {
      assert.equal((await write('by ours', headers)).status, 201)
    }
  })

  test('its owner, an administrator, another caller, and a note that is not there', async () => {
    const { body } = await write()
    const path = `/api/notes/${body.id}`
    const others = await keyOf('bob')
    const before = await app.rows()
    assert.equal((await app.call('GET', path, { headers: annsKey })).status, 200)
    assert.equal((await app.call('GET', path, { headers: admin })).status, 200)
    const read = await app.call('GET', path, { headers: others })
    assertRefusal(read, 403, 'Access denied')
    const changed = await app.call('PUT', path, { headers: others, json: { text: 'tea' } })
    assertRefusal(changed, 403, 'Access denied')
    for (const id of ['987654', '0', 'x', '1e3']) {
      const answer = await app.call('GET', `/api/notes/${id}`, { headers: admin })
      assertRefusal(answer, 404, 'Note not found')
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('an ETag guards a change, and a lock keeps administrators out', async () => {
    const { body, headers } = await write()
    const path = `/api/notes/${body.id}`
    const etag = String(headers.etag)
    const first = await app.call('PUT', path, {
      headers: { ...annsKey, 'if-match': etag },
      json: { text: 'tea' },
    })
    assert.deepEqual([first.status, first.body.text], [200, 'tea'])
    const before = await app.rows()
    const second = await app.call('PUT', path, {
      headers: { ...annsKey, 'if-match': etag },
      json: { text: 'water' },
    })
    assertRefusal(second, 412, 'Precondition failed')
    assert.deepEqual(await app.rows(), before)
    const change = (caller: Record<string, string>) =>
      app.call('PUT', path, { headers: caller, json: { text: 'bread' } })
    assert.equal((await change(admin)).status, 200)
    assert.equal((await app.call('PUT', `${path}/lock`, { headers: annsKey })).body.locked, true)
    const locked = await app.rows()
    assertRefusal(await change(admin), 403, 'Access denied')
    assert.deepEqual(await app.rows(), locked)
    assert.equal((await change(annsKey)).status, 200)
  })

  test('a lock that comes while the body is on its way is asked again', async () => {
    const { body } = await write()
    const { deps } = app
    const seen = await noteStore(deps.db).byId(body.id)
    assert.ok(seen)
    await app.call('PUT', `/api/notes/${body.id}/lock`, { headers: annsKey })
    const { createNotes } = await import('./notes.ts')
    const caller = {
      subject: '1',
      username: 'admin',
      roles: new Set(['ADMIN'] as const),
      credential: { scheme: 'basic' } as const,
      amr: [],
      authTime: 0,
    }
    const before = await app.rows()
    await assert.rejects(createNotes(deps).change(body.id, { text: 'late' }, { seen, caller }), {
      message: 'Access denied',
    })
    assert.deepEqual(await app.rows(), before)
  })

  test('a body that breaks its schema is told in the words of ours', async () => {
    const answer = await app.call('POST', '/api/notes', { headers: annsKey, json: { text: '' } })
    assert.deepEqual([answer.status, answer.body.error], [400, 'Validation failed'])
  })

  test('its header is cut out of the log, and let in from pages of allowed origins', async () => {
    app.deps.log.warn({ 'x-note-key': 'a secret key' }, 'looked at')
    app.deps.log.warn({ headers: { 'x-note-key': 'a secret key' } }, 'looked at')
    assert.ok(!JSON.stringify(app.log).includes('a secret key'))
    const origin = 'https://pages.example.org'
    const other = await testApp({ CORS_ORIGINS: origin }, { modules })
    const headers = { origin, 'access-control-request-method': 'POST' }
    const answer = await other.call('OPTIONS', '/api/notes', { headers })
    assert.match(String(answer.headers['access-control-allow-headers']), /, X-Note-Key\b/)
    await other.close()
  })

  test('its job removes what is older than its setting says', async () => {
    const old = await write('old')
    app.clock.advance(7 * 86_400)
    const young = await write('young')
    const job = app.app.jobs.find(({ name }) => name === 'old notes')
    assert.ok(job)
    await job.run()
    const store = noteStore(app.deps.db)
    assert.equal(await store.byId(old.body.id), null)
    assert.equal((await store.byId(young.body.id))?.text, 'young')
  })

  test('its keys end with the logins of their account, and go on where roles alone change', async () => {
    const key = await keyOf('bob')
    const put = (json: object) =>
      app.call('PUT', '/api/admin/accounts/bob', { headers: admin, json })
    await put({ roles: ['USER', 'EDITOR'] })
    assert.equal((await write('still', key)).status, 201)
    await put({ password: `another ${passwordOf('bob')}` })
    assertRefusal(await write('no more', key), 401, 'Authentication required')
    const { note_keys = [] } = await app.rows()
    assert.ok(!JSON.stringify(note_keys).includes(`"user_id":${bob.userId}`))
  })

  test('its rows go with their user', async () => {
    const eve = await app.account('eve')
    assert.equal((await write("eve's", await keyOf('eve'))).status, 201)
    await app.call('DELETE', `/users/${eve.userId}`, { headers: admin })
    const { notes = [], note_keys = [] } = await app.rows()
    assert.ok(!JSON.stringify(notes).includes(`"owner_id":${eve.userId}`))
    assert.ok(!JSON.stringify(note_keys).includes(`"user_id":${eve.userId}`))
  })

  test('a backup takes its tables along, and a restore ends its logins unless they are kept', async () => {
    await write('kept')
    const path = join(folder(), 'backup')
    await backup({ ...app.deps, modules }, path, { passphrase })
    const { notes = [] } = await app.rows()
    for (const keepLogins of [false, true]) {
      const { deps, directory } = await place({ NOTES_KEEP_DAYS: '7' }, folder(), app.clock)
      await restore({ ...deps, modules }, path, { ...restoring, keepLogins })
      const again = await testApp({}, { directory, clock: app.clock, modules })
      const rows = await again.rows()
      assert.deepEqual(rows.notes, notes)
      const schemas = rows.room_schemas?.filter((row) => JSON.stringify(row).includes('"notes"'))
      assert.equal(schemas?.length, 3)
      assert.equal((rows.note_keys?.length ?? 0) > 0, keepLogins)
      await again.close()
    }
    const { deps, tables } = await place()
    await assert.rejects(
      restore(deps, path, restoring),
      /table that this program does not know: note/,
    )
    assert.deepEqual(await tables(), [])
  })

  test('a program without the module refuses its database: it would leave notes out of backups', async () => {
    const before = await app.rows()
    const message = /the database has the module notes, this program does not/
    const { code, stderr } = await gatehouse(app.directory, 'account list')
    assert.equal(code, 1)
    assert.match(stderr, message)
    await assert.rejects(
      backup(app.deps, join(folder(), 'backup'), { passphrase: undefined }),
      message,
    )
    assert.deepEqual(await app.rows(), before)
  })

  test('a newer schema of the module was added to, and an older one asks for a migration', async () => {
    const before = await app.rows()
    const older = ours.concat({ ...module, migrations: module.migrations?.slice(0, 1) ?? [] })
    const newer = ours.concat({ ...module, migrations: [...(module.migrations ?? []), []] })
    const run = (with_: typeof ours) => gatehouse(app.directory, 'account list', { modules: with_ })
    const [behind, ahead] = [await run(older), await run(newer)]
    assert.match(
      ahead.stderr,
      /lacks migrations of the module notes: .*npm run -s gatehouse -- migrate/,
    )
    assert.deepEqual([behind.code, ahead.code], [0, 1])
    assert.deepEqual(await app.rows(), before)
  })

  test('migrate tells the schema of the module', async () => {
    const { code, stdout } = await gatehouse(app.directory, 'migrate --json', { modules })
    assert.equal(code, 0)
    const { modules: schemas, rooms: former, ...told } = JSON.parse(stdout)
    assert.deepEqual(told, { from: latestSchema, to: latestSchema })
    assert.deepEqual([schemas.notes, former], [3, schemas])
  })

  test('a backup that names a schema of no module is refused', async () => {
    const { deps, tables } = await place()
    for (const version of [-1, 1.5, 4]) {
      const dump = {
        schema: latestSchema,
        modules: new Map([['notes', version]]),
        counts: new Map(),
        lastIds: new Map(),
        batches: (async function* () {})(),
      }
      const options = { clock: deps.clock, tables: tablesOf(modules), keepLogins: true }
      const loading = deps.db.transaction().execute((trx) => loadDump(trx, dump, options))
      await assert.rejects(loading, /the database has schema \S+ of the module notes/)
    }
    assert.deepEqual(await tables(), [])
  })

  test('its setting is read with its kind, and a mistake is told with all others', async () => {
    const run = (words: string, env: Record<string, string>) =>
      gatehouse(app.directory, words, { modules, env })
    const wrong = await run('config check', { NOTES_KEEP_DAYS: '0', PORT: 'x' })
    assert.equal(wrong.code, 1)
    assert.match(
      wrong.stderr,
      /PORT must .*\n.*NOTES_KEEP_DAYS must be a whole number of at least 1/,
    )
    const shown = await run('config show --json', { NOTES_KEEP_DAYS: '9' })
    assert.ok(
      JSON.parse(shown.stdout).some(
        (row: { setting: string; value: number; source: string }) =>
          row.setting === 'NOTES_KEEP_DAYS' && row.value === 9 && row.source === 'environment',
      ),
    )
  })

  test('its routes are printed, and documented with its scheme, tag and errors', async () => {
    const config = loadConfig({}, await settingsOfModules(modules))
    const { routes, openapi } = await describeService(config, modules)
    const printed = describeRoutes(routes)
    assert.match(printed, /^PUT +\/api\/notes\/:id +basic,session,bearer,(?:x-\S+,)?x-note-key /m)
    // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects by asserting it
    const { paths, components } = openapi as any
    const { get, put } = paths['/api/notes/{id}']
    const [missing, success] = [get.responses['404'], get.responses['200']]
    assert.deepEqual(missing, { $ref: '#/components/responses/NoteNotFound' })
    assert.equal(components.responses.NoteNotFound.description, 'Note not found')
    const { schema, example } = success.content['application/json']
    assert.deepEqual(schema, { $ref: '#/components/schemas/Note' })
    assert.deepEqual(example, { id: 5, text: 'Buy milk', locked: false })
    assert.equal(get.operationId, 'getNote')
    assert.deepEqual(get.tags, ['Notes'])
    assert.ok(put.security.some((one: object) => 'x-note-key' in one))
    assert.deepEqual(components.securitySchemes['x-note-key'], {
      type: 'apiKey',
      in: 'header',
      name: 'X-Note-Key',
    })
    const own = await describeService(loadConfig({}, await settingsOfModules(ours)))
    const text = JSON.stringify(own.openapi) // findings have `notes` of their own
    for (const name of ['/notes', 'Note"', 'NoteNotFound', 'Notes"', 'x-note-key']) {
      assert.ok(JSON.stringify(openapi).includes(name), name)
      assert.ok(!text.includes(name), name)
    }
  })

  test('the generated documents show its setting, its scheme, its command and its event', async () => {
    const docs = await generateDocs(modules)
    assert.match(docs['configuration.md'] ?? '', /^\| `NOTES_KEEP_DAYS` \| `30` \| How long/m)
    assert.match(docs['routes.txt'] ?? '', /^POST +\/api\/notes +\S+,x-note-key /m)
    assert.match(docs['access.txt'] ?? '', /^ASKED OF .* x-no-administrator$/m)
    assert.match(docs['access.txt'] ?? '', /^x-note-key +absent +- +absent +- .* absent$/m)
    assert.match(docs['command-line.md'] ?? '', /note key/)
    assert.match(
      docs['events.md'] ?? '',
      /^\| `note_written` \| info \| success \| a note is made /m,
    )
  })

  test('a long path and further schemes re-indent no other line of the documents', async () => {
    const longPath: Module = {
      name: 'long',
      routes: async () => ({
        async routes(server) {
          const config = { access: { rule: anyone } }
          server.get(`/${'long'.repeat(20)}`, { config, schema: { hide: true } }, async () => 'x')
        },
      }),
    }
    const docs = await generateDocs([...modules, longPath])
    for (const name of ['routes.txt', 'access.txt']) {
      const lines = new Set(docs[name]?.split('\n'))
      const before = readDoc(name).split('\n\n')[0]?.split('\n') ?? []
      assert.ok(before.length > 200)
      assert.deepEqual(
        before.filter((line) => !lines.has(line) && !line.includes(' /api/me ')), // which has a scheme more
        [],
      )
    }
  })

  test('its examples are of all its routes and commands, and record their events', async () => {
    const told: RecordedEvent[] = []
    const sinks = { inside: [], afterCommit: [(event: RecordedEvent) => void told.push(event)] }
    const other = await testApp({}, { modules, sinks, builtPages: await builtPagesOf(modules) })
    const world = await worldOf(other, sinks)
    const routes = allRoutes(other).filter(({ module: name }) => name === module.name)
    assert.deepEqual(routes.map(({ key }) => key).toSorted(), Object.keys(examples).toSorted())
    for (const route of routes) {
      const example = [examples[route.key] ?? []].flat()[0] ?? assert.fail(route.key)
      const caller = await newCaller(world, 'session')
      const made = (await example.make?.(world, caller)) ?? {}
      told.length = 0
      const shown: ShownRoute = { ...route, example, all: [example] }
      const { status, text } = await send(other, shown, made, caller)
      assert.equal(String(status), route.success, text)
      assert.deepEqual(
        told.map(({ type }) => type.name),
        example.events ?? [],
      )
    }
    const commands = module.commands?.flatMap(({ rows }) => rows.map(({ name }) => name))
    assert.deepEqual(Object.keys(commandExamples), commands)
    await other.close()
  })

  test('its check, its part of the status, its metric and its series are there', async () => {
    const eve = await app.account('eva')
    for (let keys = 0; keys < 4; keys += 1) await keyOf('eva')
    const { body } = await app.call('GET', '/api/admin/doctor', { headers: admin })
    const found = body.findings.filter(({ check }: { check: string }) => check === 'note_keys')
    assert.deepEqual(
      found.map(({ what }: { what: string }) => what),
      [`The user ${eve.userId} has more than 3 keys.`],
    )
    const status = await app.call('GET', '/api/admin/status', { headers: admin })
    assert.equal(status.body.notes.total, (await app.rows()).notes?.length)
    const metrics = await app.call('GET', '/metrics', { headers: admin })
    assert.match(metrics.text, /^notes_written_total [1-9]/m)
    const path = '/api/admin/statistics/series?series=notes_written'
    const series = await app.call('GET', path, { headers: admin })
    assert.equal(series.status, 200, series.text)
  })

  test('a person gets the own notes with the own data, and no key', async () => {
    await write('about ann')
    const { body } = await app.call('GET', '/api/account/export', { headers: app.basic(ann) })
    assert.ok(body.data.notes.some(({ text }: { text: string }) => text === 'about ann'))
    assert.ok(!('note_keys' in body.data))
  })

  test('a configuration that was read without its setting says which, and what reads it', () => {
    assert.throws(() => settingsOf(loadConfig({}, []), settings), {
      message:
        'NOTES_KEEP_DAYS was not read: loadConfig takes what settingsOfModules(modules) answers',
    })
  })

  sqliteOnly('its migrations and ours are one transaction: what fails leaves nothing', async () => {
    const directory = folder()
    const path = join(directory, databaseFileName)
    const broken = { ...module, migrations: [...(module.migrations ?? []), ['no such statement']] }
    await assert.rejects(
      testApp({}, { directory, isEmpty: true, modules: [...ours, broken] }),
      /syntax error/,
    )
    const db = new DatabaseSync(path)
    assert.deepEqual(db.prepare('select name from sqlite_master').all(), [])
    db.close()
  })

  test('a table that would keep a user whom its manifest erases stops the start', async () => {
    const careless = {
      name: 'careless',
      migrations: [['create table scraps (id integer primary key, user_id integer) strict']],
      tables: [{ name: 'scraps', key: ['id'], person: { column: 'user_id', onDelete: 'delete' } }],
    } as const
    await assert.rejects(testApp({}, { isEmpty: true, modules: [...ours, careless] }), {
      message:
        'the table scraps of the module careless must refer to users by user_id with "on delete cascade"',
    })
  })
})
