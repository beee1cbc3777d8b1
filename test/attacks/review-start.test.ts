import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { firstRunText } from '../../src/modules/accounts/first-run.ts'
import { startService } from '../../tools/service.ts'
import { curl } from '../transcript.ts'

const main = [process.execPath, 'src/main.ts'] as const
const root = join(import.meta.dirname, '../..')

/** A start that is expected to fail: its exit code and all that it printed. */
async function failedStart(env: Record<string, string>) {
  const { ADMIN_PASSWORD: _, ...inherited } = process.env
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: root,
    env: { ...inherited, ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += part))
  const [code] = await once(child, 'close')
  return { code, output }
}

suite('a start that fails', async () => {
  test('after a start on a busy port the next start tells the file of a working first password', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
    const blocker = createServer().listen(0, '127.0.0.1')
    await once(blocker, 'listening')
    const { port } = blocker.address() as AddressInfo
    const failed = await failedStart({ DATA_DIR: directory, PORT: String(port) })
    blocker.close()
    assert.equal(failed.code, 1)
    assert.match(failed.output, /EADDRINUSE.*; stop the program that listens there, or set PORT to/)
    const service = await startService(main, { PASSWORD_MIN_LENGTH: '40' }, directory)
    const [, path = ''] = /"password_file":"([^"]+)"/.exec(service.output()) ?? []
    assert.equal(path, join(directory, 'first-password'), 'and no file of the failed start')
    const password = readFileSync(path, 'utf8').trim()
    assert.equal(password.length, 40)
    assert.ok(!service.output().includes(password))
    const answer = await fetch(`${service.url}/users`, {
      headers: { authorization: `Basic ${btoa(`admin:${password}`)}` },
    })
    assert.equal(answer.status, 200)
    assert.equal(service.output().match(/listening|"event":"sys_startup"/g)?.length, 1)
    assert.ok(service.output().includes(`"base_url":"${service.url}"`), 'the port that it has')
    assert.equal(await service.stop(), 0)
    service.remove()
  })

  test('DATA_DIR that is a file is named, with the reason', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
    const file = join(directory, 'file')
    writeFileSync(file, '')
    for (const DATA_DIR of [file, join(file, 'below')]) {
      const { code, output } = await failedStart({ DATA_DIR, PORT: '0' })
      assert.equal(code, 1)
      assert.match(output, /^Gatehouse cannot start: DATA_DIR .*: (EEXIST|ENOTDIR)/)
      assert.doesNotMatch(output, /\n\s+at /)
    }
    rmSync(directory, { recursive: true })
  })
})

suite('a stop', () => {
  test('a fault while a clean drain is under way makes the process exit 1', async () => {
    const script = `
      import { drainOnSignal } from './src/core/runtime/shutdown.ts'
      const log = { info() {}, fatal() {} }
      const closed = Promise.withResolvers()
      drainOnSignal({ close: () => closed.promise }, { log, events: { emit() {} } })
      setInterval(() => {}, 1e6)
      process.on('SIGTERM', () => setImmediate(() => { throw new Error('fault') }))
      process.on('uncaughtException', () => setImmediate(closed.resolve))
      process.kill(process.pid, 'SIGTERM')`
    const args = ['--input-type=module', '--eval', script]
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'ignore' })
    const [code] = await once(child, 'close')
    assert.equal(code, 1)
  })
})

suite('what the first start prints at a terminal', async () => {
  const ADMIN_PASSWORD = 'it\'s "quoted" & $HOME-ly \\ here'
  const ADMIN_USERNAME = "o'brien"
  const service = await startService(main, { ADMIN_PASSWORD, ADMIN_USERNAME })

  test('the three commands work when a shell runs them', async () => {
    const text = firstRunText(
      { username: ADMIN_USERNAME, password: null },
      { address: service.url, consoleAddress: `${service.url}/admin` },
    )
    const commands = [...text.matchAll(/^ {2}curl .*$/gm)].map(([line]) => line.trim())
    assert.equal(commands.length, 3)
    for (const command of commands) {
      const words = await shellWords(command, { ADMIN_PASSWORD })
      const answer = JSON.parse(await curlWords(words, service.url))
      assert.equal(answer.error, undefined, `${command}: ${answer.error}`)
    }
  })

  test('a password of the operator is not printed', async () => {
    assert.ok(!service.output().includes('quoted'))
    assert.ok(!service.output().includes('curl'), 'standard output is a log here')
    const text = firstRunText(
      { username: 'a', password: 'made-up' },
      { address: 'http://x', consoleAddress: 'http://x/admin' },
    )
    assert.equal(text.split('made-up').length, 2, 'a generated one is, once')
    assert.equal(await service.stop(), 0)
    service.remove()
  })

  /** What a real shell makes of a command, without running it. */
  async function shellWords(command: string, env: Record<string, string>): Promise<string[]> {
    const script = `set -- ${command}; printf '%s\\0' "$@"`
    const child = spawn('/bin/sh', ['-c', script], { env })
    let output = ''
    child.stdout.on('data', (part) => (output += part))
    await once(child, 'close')
    return output.split('\0').slice(0, -1)
  }

  /** Through the reader of documents, with the words quoted in the plainest way. */
  function curlWords(words: readonly string[], url: string): Promise<string> {
    const variables = new Map<string, string>()
    const quoted = words.map((word, index) => {
      if (!/['"$\\\s]/.test(word)) return word
      const name = `WORD_${'ABCDEFGHIJ'[index]}`
      variables.set(name, word)
      return `"$${name}"`
    })
    return curl(quoted.join(' '), url, { variables, jars: new Map() })
  }
})
