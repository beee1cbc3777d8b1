import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { freePort } from '../../tools/free-port.ts'
import { startService } from '../../tools/service.ts'
import { assertAccessible, assertFits, launch, openPage } from './chromium.ts'

const password = 'a password for browsers'
const button = '[data-passkey] button'

/** Browsers create passkeys at `localhost`, and at no IP address. */
suite('passkeys in a real browser, with an authenticator of its own', async () => {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const service = await startService([process.execPath, 'src/main.ts'], {
    ...{ BASE_URL: url, PORT: String(port), ADMIN_PASSWORD: password, WORKERS: '1' },
  })
  const browser = await launch()
  after(async () => {
    await browser.close()
    await service.stop()
    service.remove()
  })

  for (const [about, viewport] of [
    ['on a desk', { width: 1280, height: 900 }],
    ['on a phone', { width: 390, height: 844 }],
  ] as const) {
    test(`registered, used in each way, removed, ${about}`, async () => {
      const context = await browser.newContext({ viewport, locale: 'en-GB' })
      const { page, complaints } = await openPage(context)
      const cdp = await context.newCDPSession(page)
      await cdp.send('WebAuthn.enable')
      const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
          ...{ hasUserVerification: true, isUserVerified: true },
          automaticPresenceSimulation: true,
        },
      })

      async function at(path: string): Promise<void> {
        await page.waitForURL((address) => address.pathname === path)
        await page.waitForLoadState()
        const where = `${page.url()} ${await page.locator('main').textContent()}`
        assert.equal(await page.locator('main .notice.bad').count(), 0, where)
        await assertFits(page, where)
        await assertAccessible(page, where)
      }
      const press = (selector: string) => page.locator(selector).first().click()

      // With the password, and the first passkey.
      await page.goto(`${url}/signin?return_to=/account/passkeys`)
      // Nobody can use a passkey before the first was added, on the desk.
      assert.equal(await page.locator(button).isVisible(), about === 'on a phone')
      assert.equal(
        (await page.locator('script[src*=passkeys]').count()) > 0,
        about === 'on a phone',
      )
      await page.locator('input[name=username]').fill('admin')
      await page.locator('input[name=password]').fill(password)
      await press('form:has(input[name=password]) button[type=submit]:not(.quiet)')
      await at('/account/passkeys')
      await press('form[action="/account/passkeys/add"] button')
      await at('/account/confirm')
      await page.locator('input[name=current_password]').fill(password)
      await press('form:has(input[name=current_password]) button[type=submit]:not(.quiet)')
      await at('/account/passkeys/new')
      await press(button)
      await at('/account/recovery-codes')
      assert.equal(await page.locator('#codes li').count(), 10)
      await page.goto(`${url}/account/passkeys`)
      await at('/account/passkeys')
      assert.equal(await page.locator('tbody tr').count(), 1)
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
      assert.equal(credentials.length, 1)
      await page.goto(`${url}/account/second-factor`)
      await at('/account/second-factor')
      assert.match((await page.locator('main').textContent()) ?? '', /Your passkey is the second/)

      // In the field of the username: the authenticator answers by itself.
      await signOut(page)
      await page.goto(`${url}/signin`)
      await at('/account')

      // By the button alone.
      await signOut(page)
      await page.addInitScript(() => {
        const { PublicKeyCredential: known } = globalThis as unknown as {
          PublicKeyCredential: { isConditionalMediationAvailable: () => Promise<boolean> }
        }
        known.isConditionalMediationAvailable = async () => false
      })
      await page.goto(`${url}/signin`)
      await assertAccessible(page, 'the sign-in')
      await press(button)
      await at('/account')

      // As the second factor.
      await signOut(page)
      await page.goto(`${url}/signin`)
      await page.locator('input[name=username]').fill('admin')
      await page.locator('input[name=password]').fill(password)
      await press('form:has(input[name=password]) button[type=submit]:not(.quiet)')
      await page.waitForURL(/flow=/)
      await at('/signin')
      assert.equal(await page.locator('input[name=totp]').count(), 0)
      await press(button)
      await at('/account')

      // Once more, for what wants a recent login.
      await page.goto(`${url}/signin?again=1`)
      await press(button)
      await at('/account')

      // Refused: the page says so, and does not ask the authenticator again by itself.
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
      await signOut(page)
      await page.goto(`${url}/signin`)
      await press(button)
      await page.locator('[data-passkey] [role=status]:not(:empty)').waitFor()
      assert.match(page.url(), /\/signin$/)
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
      await press(button)
      await at('/account')

      // At the login in place of the console.
      await page.goto(`${url}/admin`)
      await page.locator('h1').waitFor()
      await context.clearCookies({ name: 'JSESSIONID' })
      const dialog = page.getByRole('dialog')
      await page.evaluate('document.querySelector(\'a[href="/admin/accounts"]\').click()')
      await dialog.waitFor()
      await dialog.getByRole('button', { name: 'Use a passkey' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()

      // There with the password: it asks for the passkey, and for no code of an app.
      await context.clearCookies({ name: 'JSESSIONID' })
      await page.evaluate('document.querySelector(\'a[href="/admin/audit"]\').click()')
      await dialog.waitFor()
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
      await dialog.locator('input[type=password]').fill(password)
      await dialog.locator('button[type=submit]').click()
      await dialog.locator('button[type=submit]:not([disabled])').waitFor()
      assert.equal(await dialog.locator('input[autocomplete=one-time-code]').count(), 0)
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
      await dialog.locator('button[type=submit]').click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor()

      // Renamed, and removed with the passkey as the proof.
      await page.goto(`${url}/account/passkeys`)
      await press('tbody a[href*="rename"]')
      await at('/account/passkeys/rename')
      await page.locator('input[name=name]').fill('Key on the ring')
      await press('main form button[type=submit]')
      await at('/account/passkeys')
      assert.match((await page.locator('tbody').textContent()) ?? '', /Key on the ring/)
      await press('tbody a[href*="remove"]')
      await at('/account/passkeys/remove')
      await press('main form button.danger')
      await at('/account/confirm')
      await press(button)
      await at('/account/passkeys')
      assert.equal(await page.locator('tbody tr').count(), 0)
      assert.deepEqual(
        complaints.filter((text) => !/status of 4\d\d|Autofocus processing/.test(text)),
        [],
      )
      await context.close()
    })
  }

  test('without scripts the pages are as before', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const { page } = await openPage(context)
    await page.goto(`${url}/signin`)
    assert.equal(await page.locator(button).isVisible(), false)
    await page.locator('input[name=username]').fill('admin')
    await page.locator('input[name=password]').fill(password)
    await page.locator('form:has(input[name=password]) button[type=submit]').first().click()
    await page.waitForURL(`${url}/account`)
    await context.close()
  })

  async function signOut(page: Page): Promise<void> {
    await page.goto(`${url}/signout`)
    await page.locator('main form button[type=submit]').click()
    await page.waitForLoadState()
  }
})
