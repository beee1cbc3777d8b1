import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { allCommands } from '../../src/core/cli/commands.ts'
import { latestSchema } from '../../src/core/database/migrate.ts'
import { modules } from '../../src/modules.ts'
import { testApp } from '../app.ts'
import { databaseLock, databaseSettings, timeoutFor } from '../database.ts'
import { gatehouse } from './gatehouse.ts'

const root = join(import.meta.dirname, '../..')
const commands = await allCommands(modules)
const nowhere = join(tmpdir(), 'gatehouse-that-is-not')

suite('the command line', async () => {
  for (const { name, options = {} } of commands) {
    test(`gatehouse ${name} --help tells its options, each with its meaning, and an example`, async () => {
      const { code, stdout, stderr } = await gatehouse(nowhere, `${name} --help`)
      assert.deepEqual([code, stderr], [0, ''])
      assert.match(stdout, new RegExp(`Example:\n {2}npm run -s gatehouse -- ${name}`))
      for (const option of [...Object.keys(options), 'json', 'verbose', 'help']) {
        assert.match(stdout, new RegExp(`--${option}( <\\w+>)? {2,}\\S`), option)
      }
    })
  }

  test('a group tells its commands', async () => {
    const { code, stdout } = await gatehouse(nowhere, 'keys --help')
    assert.equal(code, 0)
    assert.match(stdout, /keys rotate/)
    assert.doesNotMatch(stdout, /account/)
  })

  test('help tells the same by the word as by the option, and reads no settings', async () => {
    const env = { PORT: 'no number' }
    for (const name of ['', 'keys', ...commands.map((command) => command.name)]) {
      const byOption = await gatehouse(nowhere, `${name} --help`.trim(), { env })
      assert.deepEqual(await gatehouse(nowhere, `help ${name}`.trim(), { env }), byOption, name)
      assert.equal(byOption.code, 0)
    }
  })

  test('help fits a terminal of 80 columns, and names every command', async () => {
    const { code, stdout, stderr } = await gatehouse(nowhere, '--help')
    assert.deepEqual([code, stderr], [0, ''])
    const groups = [...new Set(commands.map(({ name }) => name.split(' ', 1)[0] ?? ''))]
    for (const text of [
      stdout,
      ...(await Promise.all(
        groups.map(async (name) => (await gatehouse(nowhere, `help ${name}`)).stdout),
      )),
    ]) {
      for (const line of text.split('\n').slice(1)) {
        assert.ok(line.length <= 80, line)
      }
    }
    for (const { name } of commands) {
      const [word = '', ...others] = name.split(' ')
      const group = new RegExp(`^ {2}${word}\\b.*(?:\\n {3,}.*)*`, 'm').exec(stdout)?.[0] ?? ''
      assert.match(group, new RegExp(`\\b${others.join(' ')}\\b`), name)
    }
    const overview = stdout.split('\n').length
    assert.ok(overview <= 60, `${overview} lines`)
  })

  test('--version tells the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    for (const words of ['--version', '-V']) {
      const ran = await gatehouse(nowhere, words)
      assert.deepEqual(ran, { code: 0, stdout: `gatehouse ${version}\n`, stderr: '' })
    }
    const { stdout } = await gatehouse(nowhere, '--version --json')
    assert.deepEqual(JSON.parse(stdout), { version, node: process.versions.node })
  })

  test('a mistake is one sentence that names what is wrong', async () => {
    for (const [words, sentence] of [
      ['', 'no command is given'],
      ['acount list', 'there is no command acount; did you mean account?'],
      ['account lsit', 'there is no command account lsit; did you mean account list?'],
      ['help doctro', 'there is no command doctro; did you mean doctor?'],
      ['help key rotate', 'there is no command key rotate; did you mean keys?'],
      ['keys', 'keys needs one more word: list, rotate, rotate-master, retire'],
      ['keys shout', 'there is no command keys shout'],
      ['account list --nonsense=secret', 'there is no option --nonsense'],
      ['account list --jsno', 'there is no option --jsno; did you mean --json?'],
      ['account list --rolle ADMIN', 'there is no option --rolle; did you mean --role?'],
      ['account list -x', 'there is no option -x'],
      ['account list --role', '--role needs a value'],
      ['account list --role --json', '--role needs a value'],
      ['account list --locked=yes', '--locked takes no value'],
      ['account roles ann', 'missing: <role>...'],
      ['account lock ann bob', 'too many words: 1 expected, 2 given'],
      ['completion tcsh', 'the shell is one of bash, zsh, fish'],
    ] as const) {
      const { code, stderr } = await gatehouse(nowhere, words)
      assert.deepEqual([code, stderr.split('\n')[0]], [2, `error: ${sentence}`])
    }
    const { stderr: bogus } = await gatehouse(nowhere, 'help shout')
    assert.equal(bogus, 'error: there is no command shout\nSee: npm run -s gatehouse -- help\n')
    const noProvider = await gatehouse(nowhere, 'oidc token')
    const unset =
      'error: the settings have no identity provider: set OIDC_ISSUER and OIDC_CLIENT_ID\n'
    assert.deepEqual([noProvider.code, noProvider.stderr], [1, unset])
    const steered = await gatehouse(nowhere, `\x1b[2J${'x'.repeat(1000)}`)
    assert.match(steered.stderr, /^error: there is no command \\u\{1b\}\[2Jx{36}\.\.\.\n/)
  })

  for (const words of [
    '',
    'acount list',
    'account',
    'account shout ann',
    '--json',
    'account lock',
    'account lock ann bob',
    'account roles ann',
    'account list --nonsense',
    'account list --role',
    'account list --role KING',
    'account list --locked=yes',
    'account add ann',
    'account add ann --email none --generate',
    'account add a:b --email ann@example.org --generate',
    'account add ann --email ann@example.org --role KING --generate',
    'account add ann --email ann@example.org --generate --password-stdin',
    'account add ann --user two --generate',
    'account add ann --user 2 --email ann@example.org --generate',
    'account password ann',
    'user add --name Ann',
    'user add --email ann@example.org',
    "user add --name '' --email ann@example.org",
    'account delete',
    'account delete ann',
    'account show',
    'account show ann bob',
    'throttle clear',
    'throttle clear a:b',
    'throttle list ann',
    'keys retire',
    'migrate now',
    'help acount',
    'help account shout',
    'help account add now',
    'completion',
    'completion tcsh',
    'completion toString',
    'completion bash zsh',
    '--no-such-option',
    `account list --nonsense=${'x'.repeat(2000)}`,
  ]) {
    test(`used wrongly: gatehouse ${words} exits 2, with one sentence and where the help is`, async () => {
      const { code, stdout, stderr } = await gatehouse(nowhere, words)
      assert.deepEqual([code, stdout], [2, ''])
      const [, about = ''] =
        /^error: [^\n]+\nSee: npm run -s gatehouse -- (help[\w -]*)\n$/.exec(stderr) ?? []
      const help = await gatehouse(nowhere, about)
      assert.equal(help.code, 0, stderr)
    })
  }

  const secret = 'abracadabra-1234567'
  for (const words of [
    `account password ann ${secret}`,
    `account password ann --password ${secret}`,
    `account password ann --password=${secret}`,
    `account password ann -p ${secret}`,
    `account password ann --password-stdin=${secret}`,
    `account add ann ${secret} --email ann@example.org`,
    `account add ann --email ann@example.org --pass=${secret}`,
    `token inspect ${secret}`,
    `token inspect --token=${secret}`,
    `token inspect --token-stdin ${secret}`,
  ]) {
    test(`a secret among the arguments is refused and not repeated: ${words}`, async () => {
      const { code, stdout, stderr } = await gatehouse(nowhere, words)
      assert.deepEqual([code, stdout], [2, ''])
      assert.ok(!stderr.includes(secret))
    })
  }

  test('only migrate makes a database: a mistyped DATA_DIR is told and left alone', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
    after(() => rmSync(directory, { recursive: true, force: true }))
    await databaseSettings(directory, { isEmpty: true })
    for (const words of ['account list', 'keys list', 'user add --name A --email a@example.org']) {
      const { code, stdout, stderr } = await gatehouse(directory, words)
      assert.deepEqual([code, stdout], [3, ''], words)
      assert.match(stderr, /there is no database at .*gatehouse/)
    }
    assert.deepEqual(globSync('*', { cwd: directory }), [])

    const made = await gatehouse(directory, 'migrate --json')
    const { from, to } = JSON.parse(made.stdout)
    assert.deepEqual([made.code, from], [0, 0])
    assert.ok(to >= 4)
    const {
      modules: _,
      rooms: __,
      ...again
    } = JSON.parse((await gatehouse(directory, 'migrate --json')).stdout)
    assert.deepEqual(again, { from: to, to })
    assert.match((await gatehouse(directory, 'migrate')).stdout, /nothing to do/)
    const empty = await gatehouse(directory, 'account list --json')
    assert.deepEqual([empty.code, empty.stdout], [0, '[]\n'])
  })

  test('only migrate changes an older schema: the service that works on it goes on', async () => {
    const app = await testApp()
    const { version } = await app.deps.db
      .deleteFrom('schema_version')
      .where('version', '=', latestSchema)
      .returning('version')
      .executeTakeFirstOrThrow()
    const before = await app.rows()
    for (const words of ['account list', 'keys rotate', 'account lock admin']) {
      const { code, stdout, stderr } = await gatehouse(app.directory, words)
      assert.deepEqual([code, stdout], [1, ''], words)
      const told = `schema ${version - 1}, this program works with ${version}: .*npm run -s gatehouse -- migrate`
      assert.match(stderr, new RegExp(told))
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('a database that another process holds exits 5, and nothing is changed', async () => {
    const app = await testApp()
    const before = await app.rows()
    const lock = await databaseLock(app)
    await lock.hold()
    const { code, stdout, stderr } = await gatehouse(app.directory, 'keys rotate', {
      env: { DATABASE_TIMEOUT_MS: '1', ...timeoutFor('1') },
    })
    await lock.release()
    assert.deepEqual([code, stdout], [5, ''])
    assert.match(stderr, /the database is not available/)
    assert.deepEqual(await app.rows(), before)
  })

  test('wrong settings exit 1, all of them told', async () => {
    const env = { PORT: 'x', LOGIN_TOKEN_SECONDS: '0' }
    const { code, stdout, stderr } = await gatehouse(nowhere, 'account list', { env })
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /PORT must .*\n.*LOGIN_TOKEN_SECONDS must/)
  })
})
