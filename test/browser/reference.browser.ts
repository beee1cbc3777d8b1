import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startService } from '../../tools/service.ts'
import { assertAccessible, assertFits, launch, openPage } from './chromium.ts'

const password = 'a password for browsers'

suite('the pages, in a real browser', async () => {
  const service = await startService([process.execPath, 'src/main.ts'], {
    ADMIN_PASSWORD: password,
    LOG_LEVEL: 'info',
  })
  const browser = await launch()
  after(async () => {
    await browser.close()
    await service.stop()
    service.remove()
  })
  const reference = `${service.url}/api/docs`
  const operation = (page: Page, method: string, path: string) =>
    page.locator(`details.operation:has(form[data-method="${method}"][data-path="${path}"])`)
  const shown = (page: Page) => page.locator('details.operation:visible .path').allTextContents()
  /** Opens an operation, sends its request, and answers what is shown: status line and body. */
  async function send(page: Page, method: string, path: string) {
    const here = operation(page, method, path)
    await here.evaluate((element) => {
      element.toggleAttribute('open', true)
    })
    await here.getByRole('button', { name: 'Send' }).click()
    const line = here.locator('.answer > p').first()
    await line.and(page.locator(':text-matches("^(\\\\d{3} |No |The )")')).waitFor()
    const body = here.locator('.answer > pre')
    return {
      status: Number((await line.textContent())?.slice(0, 3)),
      line: await line.textContent(),
      body: (await body.count()) > 0 ? await body.textContent() : '',
    }
  }
  async function logIn(page: Page, fields: object) {
    const login = operation(page, 'POST', '/login')
    await login.evaluate((element) => {
      element.toggleAttribute('open', true)
    })
    await login
      .locator('[data-text]')
      .fill(JSON.stringify({ username: 'admin', password, ...fields }))
    return send(page, 'POST', '/login')
  }

  test('light, dark and on a phone: nothing is refused by the policy, and axe finds nothing', async () => {
    for (const options of [
      { colorScheme: 'light', viewport: { width: 1200, height: 900 } },
      { colorScheme: 'dark', viewport: { width: 1200, height: 900 } },
      { colorScheme: 'light', viewport: { width: 320, height: 700 } },
    ] as const) {
      const context = await browser.newContext(options)
      const { page, complaints } = await openPage(context)
      const about = JSON.stringify(options)
      await page.goto(service.url)
      assert.equal(await page.title(), 'Authentication and users - Gatehouse')
      if (options.viewport.width > 400) await assertAccessible(page, `/ ${about}`)
      await assertFits(page, `/ ${about}`)
      await page.goto(`${service.url}/oauth/second-factor`)
      assert.deepEqual(complaints.splice(0), [
        'Failed to load resource: the server responded with a status of 400 (Bad Request)',
      ])
      if (options.viewport.width > 400) await assertAccessible(page, `a refusal ${about}`)
      await page.goto(reference)
      await page.locator('body[data-ready]').waitFor()
      assert.equal(await page.title(), 'Gatehouse API - Gatehouse')
      await page.locator('.credentials > summary').click()
      for (const [method, path] of [
        ['POST', '/login'],
        ['PUT', '/api/v2/users/{id}'],
        ['GET', '/api/posts'],
      ] as const) {
        await operation(page, method, path).locator('summary').first().click()
      }
      if (options.viewport.width > 400) await assertAccessible(page, `opened ${about}`)
      await page.locator('#open-all').click()
      await assertFits(page, `reference ${about}`)
      const styled = await page.evaluate('getComputedStyle(document.body).maxWidth')
      assert.equal(styled, '1280px', 'the style sheet is applied')
      assert.deepEqual(complaints, [])
      await context.close()
    }
  })

  test('the mail of development fits a phone, and a subject with other letters is its title', async () => {
    const folder = join(service.dataDirectory, 'mail')
    const subject = `Grüße von Haus Müller ${'ä'.repeat(60)}`
    const { page, complaints } = await openPage(
      await browser.newContext({ viewport: { width: 360, height: 740 } }),
    )
    await page.goto(`${service.url}/dev/mail`)
    assert.match((await page.textContent('main')) ?? '', /There is none yet/)
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, `2026-01-15T12-00-00-000Z-${'a'.repeat(22)}.eml`),
      `Subject: =?UTF-8?B?${Buffer.from(subject).toString('base64')}?=\r\nTo: ${'a'.repeat(60)}@${'b'.repeat(60)}.example.org\r\nDate: Thu, 15 Jan 2026 12:00:00 +0000\r\n\r\nOpen http://localhost/${'c'.repeat(200)}\r\n`,
    )
    await page.reload()
    await assertFits(page, 'the list')
    await assertAccessible(page, 'the list')
    await page.getByRole('link', { name: subject }).click()
    assert.equal(await page.title(), `${subject} - Gatehouse`)
    await assertFits(page, 'the mail')
    await assertAccessible(page, 'the mail')
    assert.deepEqual(complaints, [])
    await page.context().close()
  })

  test('search looks through paths, fields, parameters and errors, and its address can be shared', async () => {
    const { page } = await openPage(browser)
    await page.goto(reference)
    await page.locator('body[data-ready]').waitFor()
    const all = (await shown(page)).length
    assert.equal((await shown(page))[0], '/login')
    await page.keyboard.press('/')
    await page.keyboard.type('recovery_code NEW_password')
    const found = [
      ...['/login', '/api/public/reset', '/api/public/reset/complete'],
      ...['/api/public/sign-in-code', '/api/public/sign-in-code/complete'],
      ...['/api/account/password', '/api/user/account/password'],
    ]
    assert.deepEqual(await shown(page), found)
    assert.equal(await page.locator('#found').textContent(), '7 operations')
    assert.equal(new URL(page.url()).searchParams.get('q'), 'recovery_code NEW_password')
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate("document.activeElement.closest('details').open"), true)
    assert.equal(await page.evaluate("CSS.highlights.get('found').size > 1"), true)

    await page.fill('#search', 'Last administrator')
    const refused = await shown(page)
    assert.ok(refused.length > 0 && refused.length < all / 10, `${refused} of ${all}, by an error`)
    await page.fill('#search', 'captcha qqzzqq')
    assert.deepEqual(await shown(page), [])
    assert.equal(await page.locator('#found').textContent(), '0 operations')
    await page.fill('#search', '')
    assert.equal((await shown(page)).length, all)
    await page.goto(`${reference}?q=if-match+lock`)
    await page.locator('body[data-ready]').waitFor()
    assert.ok((await shown(page)).length < all)
    await page.close()
  })

  test('a link opens its operation, also while the search hides it', async () => {
    const { page } = await openPage(browser)
    await page.goto(reference)
    const id = (await operation(page, 'GET', '/api/me').getAttribute('id')) ?? ''
    await page.goto(`${reference}?q=captcha#${id}`)
    await page.locator('body[data-ready]').waitFor()
    const opened = operation(page, 'GET', '/api/me')
    assert.equal(await opened.evaluate((element) => element.hasAttribute('open')), true)
    assert.equal(await opened.locator('summary').first().isVisible(), true)
    await page.goto(`${reference}#%E0%A4%A`) // no text at all
    await page.locator('body[data-ready]').waitFor()
    await page.close()
  })

  test('a session: log in, change something with its CSRF token, log out', async () => {
    const context = await browser.newContext()
    const { page } = await openPage(context)
    await page.goto(reference)
    await page.locator('body[data-ready]').waitFor()
    assert.equal((await send(page, 'GET', '/api/protected')).status, 401)
    const login = await logIn(page, { mode: 'session' })
    assert.equal(login.status, 200)
    assert.match(login.line ?? '', /^200 OK, \d+ ms, sent without a credential$/)
    assert.match(login.body ?? '', /^\{\n {2}"message": "Logged in",\n {2}"csrf_token": "/)
    assert.deepEqual(
      await send(page, 'GET', '/api/protected').then(({ body }) => body),
      '{\n  "message": "Hello, admin"\n}',
    )
    assert.equal((await send(page, 'POST', '/api/transfer')).status, 200)

    // After a reload the page reads the token of the session that the browser still has.
    await page.reload()
    await page.locator('body[data-ready]').waitFor()
    assert.equal((await send(page, 'POST', '/api/transfer')).status, 200)
    assert.match((await page.locator('#session').textContent()) ?? '', /^Session of admin, until /)
    assert.equal((await send(page, 'POST', '/logout')).status, 200)
    assert.equal((await send(page, 'GET', '/api/protected')).status, 401)
    await context.close()
  })

  test('a token of the last login, typed Basic credentials, and nothing: without the cookie, and none is stored', async () => {
    const context = await browser.newContext()
    const { page } = await openPage(context)
    await page.goto(reference)
    await page.locator('body[data-ready]').waitFor()
    assert.equal((await logIn(page, { mode: 'session' })).status, 200)
    await page.locator('.credentials > summary').click()
    await page.getByLabel('Nothing').check()
    assert.equal((await send(page, 'GET', '/users')).status, 401, 'the cookie is left out')

    assert.equal((await logIn(page, { mode: 'token' })).status, 200)
    await page.getByRole('button', { name: 'Use this token' }).click()
    const token = await page.inputValue('#token')
    const me = await send(page, 'GET', '/api/me')
    assert.equal(me.status, 200)
    assert.match(me.body ?? '', /"sub": "1"/)
    assert.equal((await send(page, 'GET', '/api/protected')).status, 401, 'takes a session alone')

    await page.getByLabel('Username and password (Basic)').check()
    await page.fill('#username', 'admin')
    await page.fill('#password', password)
    assert.equal((await send(page, 'GET', '/users')).status, 200)
    await page.fill('#password', 'pässword — wrong')
    assert.equal((await send(page, 'GET', '/users')).status, 401)

    const stored = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state])',
    )
    assert.equal(stored, '[{},{},"",null]')
    assert.ok(!page.url().includes(token) && !page.url().includes('password'))
    await page.reload()
    await page.locator('body[data-ready]').waitFor()
    assert.deepEqual(
      [await page.inputValue('#token'), await page.inputValue('#password')],
      ['', ''],
    )
    await context.close()
  })

  test('inputs make the request: path, query, header, form; what is wrong is told', async () => {
    const { page } = await openPage(browser)
    await page.goto(reference)
    await page.locator('body[data-ready]').waitFor()
    await page.locator('.credentials > summary').click()
    await page.getByLabel('Username and password (Basic)').check()
    await page.fill('#username', 'admin')
    await page.fill('#password', password)

    const put = operation(page, 'PUT', '/users/{id}')
    await put.locator('summary').first().click()
    await put.locator('[data-in=path]').fill('1')
    await put.locator('[data-text]').fill('{"name":')
    assert.match((await send(page, 'PUT', '/users/{id}')).line ?? '', /^The body is not JSON: /)
    await put.locator('[data-text]').fill('{"name":"Renamed"}')
    const header = put.locator('[data-in=header][name="If-Match" i]')
    await header.fill('"stale"')
    assert.equal((await send(page, 'PUT', '/users/{id}')).status, 412)
    await header.fill('')
    const changed = await send(page, 'PUT', '/users/{id}')
    assert.match(changed.body ?? '', /"name": "Renamed"/)
    assert.match((await put.locator('.answer details pre').textContent()) ?? '', /^etag: /m)

    const list = operation(page, 'GET', '/api/v2/users')
    await list.locator('summary').first().click()
    await list.locator('[data-in=query][name=limit]').fill('7')
    const slice = await send(page, 'GET', '/api/v2/users')
    assert.match(slice.body ?? '', /"limit": 7/)

    const { path, typed } = { path: '../login?x=1#', typed: "it's" }
    await put.locator('[data-in=path]').fill(path)
    assert.equal(
      (await send(page, 'PUT', '/users/{id}')).status,
      404,
      'one segment, whatever it holds',
    )

    const login = operation(page, 'POST', '/login')
    await login.locator('summary').first().click()
    await login.locator('select[data-type]').selectOption('application/x-www-form-urlencoded')
    await login.locator('[data-field=username]').fill('admin')
    await login.locator('[data-field=password]').fill(typed)
    assert.equal((await send(page, 'POST', '/login')).status, 401)
    await page.close()
  })

  test('the command is copied with what was typed, but for the credentials of the page', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const { page } = await openPage(context)
    await page.goto(reference)
    await page.locator('body[data-ready]').waitFor()
    await page.locator('.credentials > summary').click()
    await page.getByLabel('Username and password (Basic)').check()
    await page.fill('#username', 'admin')
    await page.fill('#password', password)
    const put = operation(page, 'PUT', '/users/{id}')
    await put.locator('summary').first().click()
    await put.locator('[data-in=path]').fill('1 2')
    await put.locator('[data-text]').fill(`{"name":"O'Neil"}`)
    await put.getByRole('button', { name: 'Copy as curl' }).click()
    await put.getByRole('button', { name: 'Copied' }).waitFor()
    const command = String(await page.evaluate('navigator.clipboard.readText()'))
    const base = await page.locator('.groups').getAttribute('data-base')
    assert.equal(
      command,
      [
        'curl -X PUT',
        `'${base}/users/1%202'`,
        '-u "$USERNAME:$PASSWORD"',
        "-H 'Content-Type: application/json'",
        `--data-raw '{"name":"O'\\''Neil"}'`,
      ].join(' \\\n  '),
    )
    assert.equal(await put.locator('.curl').textContent(), command)
    await context.close()
  })

  test('without scripts all of it can be read, and nothing is offered that needs them', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const { page } = await openPage(context)
    await page.goto(reference)
    assert.equal(await page.locator('#tools').isVisible(), false)
    await page.locator('details.operation > summary').first().click()
    const first = page.locator('details.operation').first()
    assert.equal(await first.locator('table').first().isVisible(), true)
    assert.equal(await first.locator('.curl').isVisible(), true)
    assert.equal(await first.locator('form').isVisible(), false)
    await context.close()
  })

  test('by keyboard alone: to the content, into an operation, and its request is sent', async () => {
    const { page } = await openPage(browser)
    await page.goto(reference)
    await page.locator('body[data-ready]').waitFor()
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.className'), 'skip')
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement.id'), 'main')
    await page.keyboard.press('/')
    await page.keyboard.type('/health/live')
    await page.keyboard.press('Enter')
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')
    assert.equal(outline, 'solid')
    const live = operation(page, 'GET', '/health/live')
    for (let presses = 0; presses < 10; presses += 1) {
      await page.keyboard.press('Tab')
      if ((await page.evaluate('document.activeElement.textContent')) === 'Send') break
    }
    await page.keyboard.press('Enter')
    await live.locator('.answer > pre').waitFor()
    assert.equal(await live.locator('.answer > pre').textContent(), '{\n  "status": "live"\n}')
    await page.close()
  })

  test('printed, every operation is open, and no control is on the paper', async () => {
    const { page } = await openPage(browser)
    await page.goto(reference)
    await page.emulateMedia({ media: 'print' })
    for (const selector of ['#tools', 'nav', 'form.try']) {
      assert.equal(await page.locator(selector).first().isVisible(), false, selector)
    }
    assert.equal(await page.locator('details.operation table').first().isVisible(), true)
    await page.close()
  })
})

suite('the reference in production', async () => {
  const service = await startService([process.execPath, 'src/main.ts'], {
    ADMIN_PASSWORD: password,
    NODE_ENV: 'production',
    TRUST_PROXY: 'none',
    BASE_URL: 'http://localhost:3000',
  })
  const browser = await launch()
  after(async () => {
    await browser.close()
    await service.stop()
    service.remove()
  })

  test('a browser signs in by Basic, and the page works; for a stranger / has no link to it', async () => {
    const { page: stranger } = await openPage(browser)
    await stranger.goto(service.url)
    assert.equal(await stranger.locator('a[href="/api/docs"]').count(), 0)
    const context = await browser.newContext({ httpCredentials: { username: 'admin', password } })
    const { page, complaints } = await openPage(context)
    await page.goto(`${service.url}/api/docs`)
    await page.locator('body[data-ready]').waitFor()
    assert.equal(await page.textContent('h1'), 'Gatehouse API')
    assert.deepEqual(complaints, [])
    await context.close()
  })
})
