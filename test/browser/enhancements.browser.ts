import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { createChallenge, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import type { Page } from 'playwright-core'
import { shownExamples } from '../page-examples.ts'
import { launch, openPage } from './chromium.ts'
import { origin, pathOf, serveExamples } from './served-examples.ts'

/** What pages do with scripts, which they do without as well, but for the proof of work. */
suite('with scripts, in a real browser', async () => {
  const shown = await shownExamples()
  const browser = await launch()
  after(() => browser.close())
  const [plain = ''] = shown.map(({ text }) => text)

  /** A page of the service with another content. */
  const pageWith = (main: string) => plain.replace(/(<main[^>]*>).*(<\/main>)/s, `$1${main}$2`)

  async function open(main: string, prepare?: (page: Page) => Promise<unknown>) {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const own = { name: 'home', example: 'own', language: 'en', text: pageWith(main) } as const
    await serveExamples(context, [own])
    const { page, complaints } = await openPage(context)
    await prepare?.(page)
    await page.goto(origin + pathOf(own))
    return { context, page, complaints }
  }

  const exampleWith = (part: string) => {
    const found = shown.find(({ language, text }) => language === 'en' && text.includes(part))
    assert.ok(found, part)
    return /<main[^>]*>(.*)<\/main>/s.exec(found.text)?.[1] ?? ''
  }

  test('a password is shown and hidden again, at the latest when it is sent', async () => {
    const { context, page, complaints } = await open(exampleWith('data-show='))
    const button = page.locator('[data-show]').first()
    const field = page.locator(`#${await button.getAttribute('data-show')}`)
    await field.fill('a secret of three words')
    assert.equal(await field.getAttribute('type'), 'password')
    await button.click()
    assert.deepEqual(
      [await field.getAttribute('type'), await button.getAttribute('aria-pressed')],
      ['text', 'true'],
    )
    assert.equal(await button.textContent(), 'Hide')
    assert.equal(await field.evaluate((element) => element.matches(':focus')), true)
    await field.evaluate((element) => {
      const { form } = element as unknown as { form: EventTarget }
      form.addEventListener('submit', (event) => event.preventDefault())
    })
    await field.press('Enter')
    assert.deepEqual(
      [await field.getAttribute('type'), await button.textContent()],
      ['password', 'Show'],
    )
    assert.deepEqual(complaints, [])
    await context.close()
  })

  test('the rules of a new password are judged with each letter, as the service counts', async () => {
    const { context, page } = await open(exampleWith('data-rules-for='))
    const field = page.locator('input[autocomplete="new-password"]').first()
    const least = Number(await page.locator('[data-rule="length"]').getAttribute('data-min'))
    const met = () =>
      page
        .locator('[data-rule]')
        .evaluateAll((all) => all.map((rule) => rule.classList.contains('met')))
    await page.locator('input[name="username"]').evaluate((element) => {
      Object.assign(element, { value: 'Samwise' })
    })
    for (const [text, expected] of [
      ['x'.repeat(least - 1), [false, true]],
      ['x'.repeat(least), [true, true]],
      ['\u{1f600}'.repeat(least - 1), [false, true]], // code points, not UTF-16
      ['e\u0301'.repeat(least - 1), [false, true]], // one after NFC
      [`my sAMWISe and ${'x'.repeat(least)}`, [true, false]],
      ['', [false, false]],
    ] as const) {
      await field.fill(text)
      assert.deepEqual(await met(), expected, text)
    }
    const said = await page.locator('[data-rule="length"] .said').textContent()
    assert.equal(said, ' (not met yet)')
    await context.close()
  })

  test('a mail can be asked for again when the service would send one', async () => {
    const resend =
      '<div class="resend" data-resend="3"><button>Send</button><p class="hint">x</p></div>'
    const { context, page } = await open(resend, (opened) => opened.clock.install({ time: 0 }))
    const button = page.locator('.resend button')
    assert.deepEqual([await button.textContent(), await button.isDisabled()], ['Send (3)', true])
    assert.equal(await page.locator('.resend .hint').isVisible(), false)
    await page.clock.runFor(2_000)
    assert.deepEqual([await button.textContent(), await button.isDisabled()], ['Send (1)', true])
    await page.clock.runFor(1_000)
    assert.deepEqual([await button.textContent(), await button.isDisabled()], ['Send', false])
    await context.close()
  })

  test('codes are copied one a line, and the page is printed', async () => {
    const { context, page, complaints } = await open(
      `<ul id="codes"><li>one</li><li>two</li></ul><code id="key">ABCD</code>
<button type="button" hidden data-copy="codes" data-done="Copied">Copy</button>
<button type="button" hidden data-copy="key" data-done="Copied">Copy key</button>
<button type="button" hidden data-print>Print</button>`,
      (opened) => opened.addInitScript('window.print = () => { document.title = "printed" }'),
    )
    for (const [from, expected] of [
      ['codes', 'one\ntwo'],
      ['key', 'ABCD'],
    ]) {
      const button = page.locator(`[data-copy="${from}"]`)
      await button.click()
      await page.getByText('Copied', { exact: true }).first().waitFor()
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), expected)
    }
    await page.locator('[data-print]').click()
    assert.equal(await page.title(), 'printed')
    assert.deepEqual(complaints, [])
    await context.close()
  })

  test('a time is shown in the zone of the browser', async () => {
    const context = await browser.newContext({ timezoneId: 'Asia/Tokyo' })
    const text = pageWith(
      '<time datetime="2026-01-02T23:30:00.000Z" data-format="time">Jan 2, 2026, 11:30 PM UTC</time>',
    )
    const own = { name: 'home', example: 'own', language: 'en', text } as const
    await serveExamples(context, [own])
    const { page } = await openPage(context)
    await page.goto(origin + pathOf(own))
    const time = (await page.locator('time').textContent()) ?? ''
    assert.match(time, /^Jan 3, 2026, 8:30\sAM$/)
    await context.close()
  })

  test('the proof of work is solved on a thread, and a form that is sent early waits for it', async () => {
    const hmacSignatureSecret = 'a secret of this test'
    const parameters = { algorithm: 'PBKDF2/SHA-256', cost: 2000, keyPrefix: '00' } as const
    const challenge = await createChallenge({ ...parameters, deriveKey, hmacSignatureSecret })
    const form = `<form method="post" action="/sent"><div class="captcha" data-captcha="/api/public/captcha"
data-working="Working" data-done="Done" data-failed="Failed"><input type="hidden" name="captcha" value=""><p role="status"></p></div>
<button name="step" value="one">Go on</button></form>`
    let give = () => {}
    const asked = new Promise<void>((resolve) => {
      give = resolve
    })
    const { context, page, complaints } = await open(form, (opened) =>
      opened.route(`${origin}/api/public/captcha`, async (route) => {
        await asked
        await route.fulfill({ json: challenge })
      }),
    )
    const status = page.locator('[role="status"]')
    assert.equal(await status.textContent(), 'Working')
    const sent = page.waitForRequest(`${origin}/sent`)
    await page.locator('button[name="step"]').click()
    give()
    const body = new URLSearchParams((await sent).postData() ?? '')
    assert.equal(body.get('step'), 'one')
    const { challenge: solvedOne, solution } = JSON.parse(atob(body.get('captcha') ?? ''))
    const options = { challenge: solvedOne, solution, deriveKey, hmacSignatureSecret }
    assert.equal((await verifySolution(options)).verified, true)
    assert.deepEqual(
      complaints.filter((text) => !text.includes('status of 404')),
      [],
    )
    await context.close()
  })

  test('a challenge that cannot be had is told', async () => {
    const { context, page } = await open(
      `<form method="post" action="/sent"><div data-captcha="/api/public/captcha" data-failed="Failed">
<input type="hidden" name="captcha" value=""><p role="status"></p></div></form>`,
    )
    await page.getByText('Failed').waitFor()
    await context.close()
  })
})
