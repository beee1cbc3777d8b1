import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { firstRunText } from '../src/runtime/first-run.ts'
import { freePort } from '../tools/free-port.ts'
import { startService } from '../tools/service.ts'
import { replay } from './replay.ts'
import { type CurlState, curl, matches, readSteps } from './transcript.ts'

const root = join(import.meta.dirname, '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')

suite('README', async () => {
  const [, hour = ''] = /^## The first hour\n(.*?)^## /ms.exec(readme) ?? []
  const steps = readSteps(hour)
  const ports = { '127.0.0.1:3000': await freePort(), '127.0.0.1:8080': await freePort() }
  const listens = `app.listen(${ports['127.0.0.1:8080']}, `
  const commands = steps.map(({ command }) => command.replace('app.listen(8080, ', listens))
  const { outputs, errors } = await replay(commands, ports, {
    PORT: String(ports['127.0.0.1:3000']),
    TOKEN_ALGORITHM: 'RS256',
  })
  const state: CurlState = { variables: new Map(), jars: new Map() }

  test('shows the first hour', () => assert.ok(steps.length >= 18, errors))

  for (const [index, { command, output }] of steps.entries()) {
    test(command.trim().split('\n')[0] ?? '', () => {
      const actual = outputs[index] ?? ''
      assert.ok(
        matches(actual, output, state),
        `${actual}\n  is not what the README shows:\n${output}\n${errors}`,
      )
    })
  }

  test('names only files that exist and settings that are', () => {
    for (const [, path = ''] of readme.matchAll(/\]\(([^)#]+)\)/g)) {
      assert.ok(existsSync(join(root, path)), path)
    }
    const configuration = readFileSync(join(root, 'docs/configuration.md'), 'utf8')
    for (const [, name = ''] of readme.matchAll(/^\| `([A-Z_]+)`/gm)) {
      assert.ok(configuration.includes(`\`${name}\``), name)
    }
  })

  test('a first start names the file of its password, once, and three calls work with it', async () => {
    const { ADMIN_PASSWORD: _, ...env } = process.env
    const first = await startService(
      [process.execPath, 'src/main.ts'],
      env as Record<string, string>,
    )
    const printed = first.output()
    assert.ok(printed.includes(`"password_file":"${first.dataDirectory}/first-password"`))
    const password = readFileSync(join(first.dataDirectory, 'first-password'), 'utf8').trim()
    assert.ok(password.length >= 24 && !printed.includes(password))
    const banner = firstRunText({ username: 'admin', password }, first.url)
    assert.equal(banner.match(/^ {2}curl /gm)?.length, 3)
    for (const [line] of banner.matchAll(/^ {2}curl .*$/gm)) {
      const answer = JSON.parse(await curl(line.trim(), first.url, state))
      assert.equal(answer.error, undefined)
    }
    assert.equal(await first.stop('SIGINT'), 0)
    const again = await startService([process.execPath, 'src/main.ts'], {}, first.dataDirectory)
    assert.doesNotMatch(again.output(), /password/)
    assert.ok(!again.output().includes('first administrator'))
    assert.equal(await again.stop(), 0)
    again.remove()
  })
})
