import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { connect } from 'node:tls'
import { localCertificate, tlsFolder } from '../tls-files.ts'
import { startNode } from './node.ts'
import { waitUntil } from './waiting.ts'
import { startWorkers } from './workers.ts'

const hasTerminals = spawnSync('script', ['--version']).status === 0

const linesOf = (output: string) =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

/** The fingerprint of the certificate that a new handshake gets. */
function presented(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      const { raw } = socket.getPeerCertificate()
      socket.destroy()
      resolve(new X509Certificate(raw).fingerprint256)
    })
    socket.on('error', reject)
  })
}

for (const workers of [1, 2]) {
  suite(`signals, with ${workers === 1 ? 'one process' : `${workers} workers`}`, () => {
    test('SIGUSR2 logs at debug until the next one, also in a worker that was replaced', async () => {
      const several = workers === 1 ? undefined : await startWorkers({ count: workers })
      const node = several ?? (await startNode())
      const output = () => linesOf(node.service.output())
      const requests = () => output().filter(({ msg }) => msg === 'request').length
      const changes = (level: string) =>
        output().filter(({ log_level }) => log_level === level).length
      try {
        await node.caller.call('GET', '/health/live')
        assert.equal(requests(), 0)
        node.service.process.kill('SIGUSR2')
        await waitUntil('the change is told', () => changes('debug') === 1)
        if (several) {
          await several.atEach('GET', '/api/me')
          const [first, second = 0] = several.pids()
          process.kill(second, 'SIGKILL')
          await waitUntil('another takes its place', () => several.pids()[1] !== second)
          assert.equal(several.pids()[0], first)
          await several.atEach('GET', '/api/me')
        }
        for (let sent = 0; sent < 10; sent += 1) await node.caller.call('GET', '/health/live')
        await waitUntil('a line for each request', () => requests() >= 10)
        node.service.process.kill('SIGUSR2')
        await waitUntil('the change is told', () => changes('info') === 1)
        await node.caller.call('GET', '/health/live') // the workers have heard it by its end
        const before = requests()
        for (let sent = 0; sent < 10; sent += 1) await node.caller.call('GET', '/health/live')
        assert.equal(requests(), before)
      } finally {
        await node.remove()
      }
    })

    test('SIGHUP ends nothing, and a renewed certificate is used at once', async () => {
      const tls = tlsFolder()
      const env = { ...tls.env, WORKERS: String(workers), NODE_ENV: 'test' }
      const node = await startNode({ env })
      try {
        const port = Number(new URL(await addressOf(node.service.output())).port)
        const first = await presented(port)
        const renewed = localCertificate()
        tls.put(renewed)
        node.service.process.kill('SIGHUP')
        const { fingerprint256 } = new X509Certificate(renewed.cert)
        assert.notEqual(first, fingerprint256)
        const beganAt = performance.now()
        await waitUntil('the renewed certificate', async () => {
          const all = await Promise.all(Array.from({ length: 4 }, () => presented(port)))
          return all.every((shown) => shown === fingerprint256)
        })
        const took = performance.now() - beganAt
        assert.ok(took < 5000, `${took} ms, where the job looks every 10 s`)
        for (let sent = 0; sent < 5; sent += 1) node.service.process.kill('SIGHUP')
        await presented(port)
        assert.equal(node.service.process.exitCode, null)
      } finally {
        await node.remove()
      }
    })

    const skip = hasTerminals ? false : 'util-linux has no `script` here'
    test('a terminal that closes ends the service as SIGTERM does', { skip }, async () => {
      const directory = mkdtempSync(join(tmpdir(), 'gatehouse-terminal-'))
      // The system tells the shell, which tells its jobs, as one that people use does.
      const shell = `"$NODE" src/main.ts & job=$!; trap 'kill -HUP $job' HUP
        wait $job; wait $job; echo $? > "$DATA_DIR/code"`
      const terminal = spawn('script', ['-qec', shell, '/dev/null'], {
        env: {
          ...{ ...process.env, NODE: process.execPath, NODE_ENV: 'test', SHELL: '/bin/sh' },
          ...{ DATA_DIR: directory, PORT: '0', WORKERS: String(workers) },
        },
        stdio: ['pipe', 'pipe', 'ignore'],
      })
      let output = ''
      terminal.stdout.on('data', (chunk) => {
        output += chunk
      })
      const closed = new Promise((resolve) => terminal.once('close', resolve))
      try {
        await waitUntil('it is started', () => output.includes('"event":"sys_startup"'))
        assert.match(output, /Gatehouse is ready at/, 'the output is a terminal')
        terminal.kill('SIGKILL')
        await closed
        const code = () => {
          try {
            return readFileSync(join(directory, 'code'), 'utf8').trim()
          } catch {
            return ''
          }
        }
        await waitUntil('it has ended', () => code() !== '')
        assert.equal(code(), '0')
      } finally {
        terminal.kill('SIGKILL') // and with it the service
        rmSync(directory, { recursive: true })
      }
    })
  })
}

async function addressOf(output: string): Promise<string> {
  return linesOf(output).find(({ event }) => event === 'sys_startup').address
}
