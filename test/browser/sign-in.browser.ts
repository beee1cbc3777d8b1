import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { codeOfStep, stepSeconds } from '../../src/modules/totp/totp.ts'
import { fromBase32 } from '../factor.ts'
import { assertAccessible, assertFits, launch, openPage } from './chromium.ts'

/** `npm run demo:oidc`, as a developer would try it. Spec 4.4; the cookies of decisions on SameSite. */
suite('sign-in through a provider, in a real browser', async () => {
  const demo = spawn(process.execPath, ['tools/demo-oidc.ts'], {
    cwd: join(import.meta.dirname, '../..'),
  })
  after(() => demo.kill())
  let printed = ''
  const address = await new Promise<string>((resolve, reject) => {
    demo.stdout.on('data', (chunk) => {
      printed += chunk
      const [, url] = /Open in a browser: {2}(\S+)/.exec(printed) ?? []
      if (url) resolve(url)
    })
    demo.once('exit', () => reject(new Error(printed)))
  })
  const browser = await launch()
  after(() => browser.close())

  test('the browser lands signed in: the Strict cookie goes along from our own page', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(address)
    await page.fill('input[name=login]', 'ann')
    await page.fill('input[name=password]', 'anything')
    await page.click('button[type=submit]')
    await page.click('button[type=submit]') // consent
    await page.waitForURL('**/api/session')
    const session = JSON.parse((await page.textContent('body')) ?? '')
    assert.deepEqual([session.username, session.roles], ['ann', ['USER']])
    const cookies = await context.cookies(new URL(address).origin)
    const flagsOf = (name: string) => {
      const { httpOnly, secure, sameSite } = cookies.find((cookie) => cookie.name === name) ?? {}
      return { httpOnly, secure, sameSite }
    }
    assert.deepEqual(flagsOf('JSESSIONID'), { httpOnly: true, secure: true, sameSite: 'Strict' })
    assert.deepEqual(flagsOf('__Host-oauth'), { httpOnly: true, secure: true, sameSite: 'Lax' })

    // The provider has not said when the person signed in there, so the login is not recent; and a
    // fresh sign-in proves the person who sets up a factor.
    const signInAtProvider = async () => {
      await page.fill('input[name=login]', 'ann')
      await page.fill('input[name=password]', 'anything')
      await page.click('button[type=submit]')
    }
    await page.goto(new URL('/account/confirm?for=factor', address).href)
    assert.equal(new URL(page.url()).pathname, '/signin')
    await page.click('text=Sign in with')
    await signInAtProvider()
    await page.waitForURL('**/account/confirm?for=factor')
    await assertAccessible(page, 'the confirmation')
    await page.click('main form button')
    await signInAtProvider()
    await page.waitForURL(({ href }) =>
      href.startsWith(new URL('/account/confirm?flow=', address).href),
    )
    const { csrf_token } = await page.evaluate<{ csrf_token: string }>(
      "fetch('/api/session').then((answer) => answer.json())",
    )

    // An authenticator app, from now on asked for behind the provider.
    const enrol = async (method: string, body?: object): Promise<{ secret: string }> =>
      page.evaluate(
        async ([sent, token, text]) => {
          const answer = await fetch('/api/account/totp', {
            method: sent,
            headers: { 'x-csrf-token': token, 'content-type': 'application/json' },
            ...(text !== undefined && { body: text }),
          })
          return answer.json() as Promise<{ secret: string }> // what the contract says
        },
        [method, csrf_token, body && JSON.stringify(body)] as const,
      )
    const secret = fromBase32((await enrol('POST')).secret)
    const code = (later: number) =>
      codeOfStep(secret, Math.floor(Date.now() / 1000 / stepSeconds) + later)
    await enrol('PUT', { totp: code(0) })
    await context.clearCookies({ name: 'JSESSIONID' })
    await page.goto(address)
    assert.equal(new URL(page.url()).pathname, '/signin')
    await assertAccessible(page, 'the second factor')
    assert.equal(await page.evaluate('document.activeElement.name'), 'totp')
    await page.click('summary')
    await page.fill('input[name=recovery_code]', 'AAAA-BBBB-CCCC-DDDD')
    await page.click('button')
    assert.match((await page.textContent('[role=alert]')) ?? '', /^This code is not right/)
    assert.equal(await page.title(), 'Error: Second factor - Gatehouse')
    await assertAccessible(page, 'the second factor after a wrong code')
    await page.setViewportSize({ width: 320, height: 700 })
    await assertFits(page, 'the second factor')
    await page.getByLabel('Code of your authenticator app').fill(code(1))
    await page.keyboard.press('Enter')
    await page.waitForURL('**/api/session')
    assert.equal(JSON.parse((await page.textContent('body')) ?? '').username, 'ann')

    await page.goto(new URL('/oauth/logout', address).href)
    await assertAccessible(page, 'the sign-out of a provider')
    await page.setViewportSize({ width: 320, height: 700 })
    await assertFits(page, 'the sign-out of a provider')
    await page.click('button:has-text("Sign out")')
    await page.waitForURL(/\/session\/end\?/)
    const after = await page.goto(new URL('/api/session', address).href)
    assert.equal(after?.status(), 401)
  })

  test('it begins and ends at /: the page of this service', async () => {
    const { origin } = new URL(address)
    const context = await browser.newContext()
    const { page } = await openPage(context)
    await page.goto(origin)
    await page.click('text=Sign in with')
    await page.fill('input[name=login]', 'bob')
    await page.fill('input[name=password]', 'anything')
    await page.click('button[type=submit]')
    await page.click('button[type=submit]') // consent
    await page.waitForURL(`${origin}/account`) // where / leads a person who is signed in
    await page.click('text=Sign out')
    await page.click('button:has-text("Sign out")')
    await page.waitForURL('**/signout?done=1')
    await page.click('main a[href*="logout"]')
    await page.click('button:has-text("Sign out")')
    await page.waitForURL(/\/session\/end\?/)
    await page.click('button[value=yes]')
    await page.waitForURL(`${origin}/`)
    assert.equal(await page.textContent('h1'), 'Gatehouse')
    await context.close()
  })

  test('cancelled at the provider: a page with a way back', async () => {
    const { origin } = new URL(address)
    const context = await browser.newContext()
    const { page } = await openPage(context)
    await page.goto(address)
    await page.click('text=Cancel')
    await page.waitForURL('**/oauth/callback?**')
    assert.equal(await page.textContent('h1'), 'You were not signed in')
    await assertAccessible(page, 'a refusal')
    await page.click('text=Sign in again')
    assert.notEqual(new URL(page.url()).origin, origin)
    assert.equal(await page.locator('input[name=login]').count(), 1)
    await page.goBack()
    await page.click('text=Start page')
    assert.equal(await page.textContent('h1'), 'Gatehouse')
    await context.close()
  })
})
