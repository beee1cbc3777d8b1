import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, suite, test } from 'node:test'
import { codeOfStep, stepSeconds } from '../../src/modules/totp/totp.ts'
import { freePort } from '../../tools/free-port.ts'
import { fromBase32 } from '../factor.ts'
import { proxyPrograms } from '../proxies.ts'
import { replay } from '../replay.ts'
import { matches, readSteps } from '../transcript.ts'
import { until } from '../until.ts'
import { programOf, textOf } from '../use-it/listings.ts'
import { launch } from './chromium.ts'

const mainButton = 'main form button[type=submit]:not(.quiet)'
const caddy = proxyPrograms.find(({ name }) => name === 'Caddy')

/** "Ten minutes" of docs/forward-auth.md, as a reader pastes it and goes on in a browser. */
suite('docs/forward-auth.md, ten minutes', { skip: caddy?.missing }, async () => {
  const [, section = ''] = /^## Ten minutes\n(.*?)^## /ms.exec(textOf('docs/forward-auth.md')) ?? []
  const steps = readSteps(section)
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const [gatehouse, page, proxy] = [await freePort(), await freePort(), await freePort()]
  const site = `http://localhost:${proxy}`
  const place = (command: string) =>
    command
      .replaceAll('localhost:8000', `localhost:${proxy}`)
      .replace('.listen(8080,', `.listen(${page},`)
  const [shown, passed] = [join(folder, 'shown'), join(folder, 'passed')]

  test('what it shows is what happens', async () => {
    assert.ok(steps.length >= 6)
    const commands = steps.map(({ command }) => place(command))
    const stop = commands.pop() ?? ''
    const pause = `touch ${shown}; until [ -e ${passed} ]; do sleep 0.1; done`
    const replayed = replay(
      [...commands, pause, stop, 'wait'],
      { '127.0.0.1:3000': gatehouse, '127.0.0.1:8080': page },
      { PORT: String(gatehouse), PATH: `${dirname(programOf('caddy'))}:${process.env.PATH}` },
    )
    let ended = false
    void replayed.finally(() => {
      ended = true
    })
    await until(() => ended || existsSync(shown))
    let failure: unknown
    if (!ended) failure = await signIn().catch((error: unknown) => error)
    writeFileSync(passed, '')
    const { outputs, errors } = await replayed
    for (const [index, { command, output }] of steps.entries()) {
      const actual = outputs[index < commands.length ? index : index + 1] ?? ''
      const state = { variables: new Map(), jars: new Map() }
      assert.ok(
        matches(actual, output, state),
        `${command}\n${actual}\n  is not what the document shows:\n${output}\n${errors}`,
      )
    }
    assert.equal(failure, undefined)
  })

  /** What the document says in words. */
  async function signIn(): Promise<void> {
    const browser = await launch()
    try {
      const tab = await browser.newPage()
      await tab.goto(`${site}/`)
      assert.equal(new URL(tab.url()).origin, `http://127.0.0.1:${gatehouse}`)
      const [, password = ''] = /ADMIN_PASSWORD='([^']+)'/.exec(section) ?? []
      await tab.fill('input[name=username]', 'admin')
      await tab.fill('input[name=password]', password)
      await tab.click(mainButton)
      const key = ((await tab.textContent('#secret')) ?? '').replaceAll(' ', '')
      const step = Math.floor(Date.now() / 1000 / stepSeconds)
      await tab.fill('input[name=totp]', codeOfStep(fromBase32(key), step))
      await tab.click(mainButton)
      await tab.waitForSelector('#codes')
      await tab.click(mainButton)
      await tab.waitForURL(`${site}/`)
      assert.equal((await tab.textContent('body'))?.trim(), 'The wiki of admin')

      await tab.goto(`${site}/.gatehouse/signout`)
      await tab.click(mainButton)
      await tab.waitForLoadState()
      await tab.goto(`${site}/`)
      await tab.waitForSelector('input[name=password]')
    } finally {
      await browser.close()
    }
  }
})
