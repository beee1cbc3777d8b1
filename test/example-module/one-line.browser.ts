import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, suite, test } from 'node:test'
import { freePort } from '../../tools/free-port.ts'
import { startService } from '../../tools/service.ts'
import { launch } from '../browser/chromium.ts'
import { handAt, ways } from '../browser/hand.ts'

const root = join(import.meta.dirname, '../..')
const password = 'a password for browsers'

/** A copy of the sources that has the folder of the module, and its line in src/modules.ts. */
function sourcesWithModule(): string {
  const copy = mkdtempSync(join(tmpdir(), 'gatehouse-one-line-'))
  for (const name of ['src', 'web', 'tools', 'test/example-module', 'package.json']) {
    cpSync(join(root, name), join(copy, name), {
      recursive: true,
      filter: (path) => !['node_modules', 'dist'].includes(basename(path)),
    })
  }
  for (const path of globSync('{node_modules,package-lock.json}', { cwd: root })) {
    symlinkSync(join(root, path), join(copy, path))
  }
  const list = join(copy, 'src/modules.ts')
  const line = "import { module as notes } from '../test/example-module/module.ts'\n"
  writeFileSync(list, line + readFileSync(list, 'utf8').replace(/,\n\](?!.*\n\])/s, ', notes,\n]'))
  execFileSync(process.execPath, ['tools/build-web.ts'], { cwd: copy })
  return copy
}

suite('a folder and one line are a way to sign in, in a real browser', async () => {
  const copy = sourcesWithModule()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const service = await startService(
    [process.execPath, 'src/main.ts'],
    { BASE_URL: url, PORT: String(port), ADMIN_PASSWORD: password, WORKERS: '1' },
    undefined,
    copy,
  )
  const browser = await launch()
  after(async () => {
    await browser.close()
    await service.stop()
    service.remove()
    rmSync(copy, { recursive: true })
  })

  for (const way of ways) {
    test(`a badge is made, signs in by its address, and is removed, ${way.about}`, async () => {
      const hand = await handAt(browser, way, { badge: 'off' })
      await hand.open(`${url}/signin?return_to=/account`)
      assert.equal(await hand.page.locator('script[src$="/notes.js"]').count(), 0)
      await hand.fill({ username: 'admin', password })
      await hand.press('form:has(input[name=password]) button[type=submit]')
      await hand.at('/account')
      await hand.press('main a[href="/account/badge"]')
      await hand.press('form[action="/account/badge/make"] button')
      await hand.at('/account/confirm')
      await hand.fill({ current_password: password })
      await hand.press()
      const [words = '', link = ''] = await hand.texts('main code')
      assert.equal(link, `${url}/signin?by=badge#admin:${words}`)

      await hand.context.clearCookies()
      await hand.open(link)
      if (hand.hasScripts) {
        assert.equal(hand.page.url(), `${url}/signin?by=badge`, 'the words leave the address')
        assert.equal(await hand.page.locator('input[name=badge]').inputValue(), words)
        assert.deepEqual(await hand.texts('main [role=status]'), ['Your badge was read.'])
      } else await hand.fill({ username: 'admin', badge: words })
      await hand.press()
      await hand.at('/account')

      await hand.press('main a[href="/account/badge"]')
      await hand.press('form[action="/account/badge/remove"] button')
      await hand.at('/account/badge')
      await hand.context.clearCookies()
      await hand.open(`${url}/signin`)
      await hand.press('main a[href$="by=badge"]')
      await hand.fill({ username: 'admin', badge: words })
      await hand.press()
      await hand.isToldOf(/Username and words|Benutzername und Wörter/)
      await hand.close()
    })
  }
})
