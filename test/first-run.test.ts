import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, suite, test } from 'node:test'
import { createServiceMaker } from '../src/core/module/make.ts'
import {
  type MakeFirstAdministrator,
  prepareFirstAdministrator,
} from '../src/modules/accounts/bootstrap.ts'
import { modules } from '../src/modules.ts'
import { firstRun } from '../src/start.ts'
import { testApp } from './app.ts'

const address = 'http://127.0.0.1:3000'

suite('the first administrator', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  after(() => rmSync(folder, { recursive: true }))
  const app = await testApp()
  const { deps } = app
  const { accounts } = await (await createServiceMaker(deps, { modules })).all()
  const config = { ...deps.config, admin: { username: 'boss', password: undefined } }

  /** The function that a first start gets: there is no account. */
  async function prepared(): Promise<MakeFirstAdministrator> {
    await deps.db.deleteFrom('accounts').execute()
    const make = await prepareFirstAdministrator(accounts, config, deps.random)
    assert.ok(make)
    return make
  }

  /** A first start in a data directory of its own; answers all that it told. */
  async function run(
    make: MakeFirstAdministrator | null,
    {
      name = 'data',
      isTTY = false,
      admin = config.admin as typeof deps.config.admin,
      hasConsole = true,
    } = {},
  ) {
    const dataDirectory = join(folder, name)
    const stdout = Object.assign(new PassThrough(), { isTTY })
    const from = app.log.length
    const database = { ...config.database, dataDirectory }
    const options = {
      config: { admin, database, console: { ...config.console, isOn: hasConsole } },
      log: deps.log,
      address,
      stdout,
    }
    const failure = await firstRun(make, options).then(
      () => null,
      (error: Error) => error,
    )
    const isFolder = statSync(dataDirectory, { throwIfNoEntry: false })?.isDirectory()
    const files = isFolder ? readdirSync(dataDirectory) : []
    const told = app.log.slice(from).filter(({ event }) => event === undefined)
    return { failure, banner: String(stdout.read() ?? ''), told, files, dataDirectory }
  }

  const usernames = async () =>
    (await deps.db.selectFrom('accounts').select('username').execute()).map(
      ({ username }) => username,
    )

  async function logsIn(password: string) {
    const json = { username: 'boss', password }
    return (await app.call('POST', '/login', { json })).status
  }

  test('at a terminal the password is shown, and stands nowhere else', async () => {
    const { failure, banner, told, files } = await run(await prepared(), { isTTY: true })
    const [, password = ''] =
      /^ {2}password {2}(\S+) {3}\(shown once: keep it\)$/m.exec(banner) ?? []
    assert.deepEqual([failure, told, files], [null, [], []])
    assert.equal(await logsIn(password), 200)
    assert.ok(!JSON.stringify(app.log).includes(password))
  })

  test('at a terminal the console is named, if there is one', async () => {
    const { banner } = await run(await prepared(), { isTTY: true })
    assert.match(
      banner,
      /^\nhttp:\/\/127\.0\.0\.1:3000\/admin is the console: open it in a browser\.\n\nGatehouse is ready/,
    )
    const without = await run(await prepared(), { isTTY: true, hasConsole: false })
    assert.ok(!without.banner.includes('/admin'))
    assert.match(without.banner, /\n\nTry, in another terminal:\n/)
  })

  test('without one it is in a file that this user alone can read, and the log names the file', async () => {
    const { failure, banner, told, files, dataDirectory } = await run(await prepared())
    const path = join(dataDirectory, 'first-password')
    assert.deepEqual([failure, banner, files], [null, '', ['first-password']])
    assert.deepEqual(
      told.map(({ level, username, password_file }) => [level, username, password_file]),
      [['warn', undefined, path]],
    )
    assert.equal(statSync(path).mode & 0o777, 0o600)
    const password = readFileSync(path, 'utf8').trim()
    assert.equal(await logsIn(password), 200)
    assert.ok(!JSON.stringify(app.log).includes(password))
  })

  test('a file or a link of that name is left as it is', async () => {
    const data = join(folder, 'used')
    mkdirSync(data)
    const [file, target] = [join(data, 'first-password'), join(folder, 'target')]
    writeFileSync(file, 'of an earlier start')
    symlinkSync(target, `${file}-2`)
    const { failure, told } = await run(await prepared(), { name: 'used' })
    assert.equal(failure, null)
    assert.equal(told[0]?.password_file, `${file}-3`)
    assert.equal(readFileSync(file, 'utf8'), 'of an earlier start')
    assert.ok(!existsSync(target))
    assert.equal(await logsIn(readFileSync(`${file}-3`, 'utf8').trim()), 200)
  })

  test('if no file can be written, the start fails and there is no account', async () => {
    writeFileSync(join(folder, 'file'), '')
    symlinkSync('/proc/self', join(folder, 'full')) // no file can be made in it
    for (const name of ['file', 'full']) {
      const { failure, banner, told } = await run(await prepared(), { name })
      assert.match(
        String(failure?.message),
        /^the password .* cannot be written to DATA_DIR .*: set/,
      )
      assert.deepEqual([banner, told, await usernames()], ['', [], []])
    }
  })

  test('of two nodes that start at once one password counts, and the file of the other goes again', async () => {
    const nodes = [await prepared(), await prepared()]
    const ran = await Promise.all(
      nodes.map((make, number) => run(make, { name: `node-${number}` })),
    )
    assert.deepEqual(
      ran.map(({ failure }) => failure),
      [null, null],
    )
    const files = ran.flatMap((one) => one.files.map((file) => join(one.dataDirectory, file)))
    assert.equal(files.length, 1)
    assert.equal(await logsIn(readFileSync(String(files[0]), 'utf8').trim()), 200)
  })

  test('if it is unknown whether the account was created, the file stays and is named', async () => {
    const { failure, files, dataDirectory } = await run(
      async (keep) => {
        keep?.('perhaps in use')
        throw new Error('the connection was lost')
      },
      { name: 'unknown' },
    )
    assert.deepEqual(files, ['first-password'])
    const path = join(dataDirectory, 'first-password')
    assert.ok(failure?.message.includes(path))
    assert.match(String(failure?.cause), /the connection was lost/)
  })

  test('ADMIN_PASSWORD on a start with accounts: one line says that it was not used', async () => {
    assert.equal(await prepareFirstAdministrator(accounts, deps.config, deps.random), null)
    const { told, banner, files } = await run(null, { name: 'later', admin: deps.config.admin })
    assert.deepEqual(
      told.map(({ level, msg }) => [level, msg]),
      [
        [
          'warn',
          'ADMIN_PASSWORD was not used: there are accounts, and it is for the first one alone',
        ],
      ],
    )
    assert.deepEqual([banner, files], ['', []])
    assert.deepEqual((await run(null, { name: 'later' })).told, [], 'nor set, nothing to say')
  })

  test('ADMIN_PASSWORD on the first start is used, and neither shown nor written', async () => {
    await deps.db.deleteFrom('accounts').execute()
    const make = await prepareFirstAdministrator(accounts, deps.config, deps.random)
    const { told, banner, files } = await run(make, { name: 'set', admin: deps.config.admin })
    assert.deepEqual([banner, files, told.map(({ level }) => level)], ['', [], ['info']])
    assert.deepEqual(await usernames(), ['admin'])
  })
})
