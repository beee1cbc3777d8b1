import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { until } from '../until.ts'
import { admin, signIn, startWorld, type Window } from './world.ts'

suite('the frame of the console', async () => {
  const world = await startWorld()
  const { title } = await world.api('POST', '/api/posts', { title: 'A post to be locked' })
  const dialog = ({ page }: Window) => page.getByRole('dialog')
  const path = ({ page }: Window) => new URL(page.url()).pathname
  const lock = ({ page }: Window) => page.getByRole('row', { name: title }).getByRole('button')

  test('an address of it leads to the login, and then to its view', async () => {
    const hand = await world.window(null)
    const { page } = hand
    await page.goto(`${world.url}/admin/posts?x=1`)
    assert.equal(path(hand), '/signin')
    await page.getByLabel('Username or e-mail address').fill(admin.username)
    await page.getByLabel('Password', { exact: true }).fill(admin.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(`${world.url}/admin/posts?x=1`)
    await hand.settled()
    assert.equal(await hand.heading(), 'Posts')
    assert.equal(await page.title(), 'Posts - Gatehouse')
    await page.getByRole('link', { name: 'Gatehouse' }).click()
    await page.waitForURL(`${world.url}/admin`)
    await hand.close()
  })

  test('by keyboard alone: areas, help, and where the focus is', async () => {
    const hand = await world.window()
    const { page } = hand
    await hand.open('/admin')
    await page.keyboard.press('Tab')
    assert.equal(await page.locator(':focus').getAttribute('class'), 'skip')
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.waitForURL('**/admin/posts')
    await hand.settled()
    assert.equal(await page.locator('h1:focus').innerText(), 'Posts')
    assert.equal(await page.title(), 'Posts - Gatehouse')

    await page.keyboard.press('?')
    await dialog(hand).waitFor()
    assert.equal(await dialog(hand).evaluate((element) => element.scrollTop), 0)
    const title = await dialog(hand).getByRole('heading').boundingBox()
    assert.ok(title && title.y >= 0, 'its title is seen')
    await hand.assertSound('the help')
    await page.keyboard.press('g') // the dialog has the keyboard
    await page.keyboard.press('o')
    assert.equal(path(hand), '/admin/posts')
    await dialog(hand).getByRole('checkbox').press('Space')
    await page.keyboard.press('Escape')
    await dialog(hand).waitFor({ state: 'detached' })
    assert.equal(await page.locator('h1:focus').innerText(), 'Posts')
    await page.reload()
    await hand.settled()
    await page.keyboard.press('?')
    assert.equal(await dialog(hand).count(), 0)
    await page.getByRole('button', { name: 'Help: keys' }).press('Enter')
    await dialog(hand).getByRole('checkbox').press('Space')
    await page.keyboard.press('Escape')
    await page.goBack()
    await page.waitForURL('**/admin')
    await hand.close()
  })

  test('on a phone the areas open below the bar, and close with a choice', async () => {
    const phone = { viewport: { width: 360, height: 740 }, hasTouch: true }
    const hand = await world.window(admin, phone)
    const { page } = hand
    await hand.open('/admin/posts')
    const menu = page.getByRole('button', { name: 'Menu' })
    const areas = page.locator('nav.areas')
    assert.equal(await areas.isVisible(), false)
    await menu.tap()
    assert.equal(await menu.getAttribute('aria-expanded'), 'true')
    await areas.getByRole('link', { name: 'Overview' }).tap()
    await page.waitForURL('**/admin')
    await areas.waitFor({ state: 'hidden' })
    await hand.close()
  })

  test('a session that ended asks for the login in place, and loses nothing', async () => {
    const hand = await world.window()
    await hand.open('/admin/posts')
    await hand.endSession()
    await lock(hand).click()
    await dialog(hand).getByRole('heading', { name: 'Your session has ended' }).waitFor()
    await hand.assertSound('the login in place')
    const password = dialog(hand).getByLabel('Password')
    await hand.page.locator('dialog input[type="password"]:focus').waitFor()
    await password.fill('not this one')
    await password.press('Enter')
    await dialog(hand).getByRole('alert').waitFor()
    await password.fill(admin.password)
    await password.press('Enter')
    await dialog(hand).waitFor({ state: 'detached' })
    await hand.page.getByRole('status').getByText(title).waitFor()
    const posts = (await world.api('GET', '/api/editor/posts')) as {
      title: string
      locked: boolean
    }[]
    assert.equal(posts.find((post) => post.title === title)?.locked, true)
    await hand.close()
  })

  test('a refusal that arrives after the login asks for no second one', async () => {
    const hand = await world.window()
    const { page } = hand
    await hand.open('/admin/imports')
    await hand.endSession()
    // The view reads what is imported every few seconds; the second refusal waits for the login.
    const loggedIn = Promise.withResolvers<void>()
    let refused = 0
    await page.route('**/api/admin/export/**', (route) => route.abort())
    await page.route('**/api/admin/imports', async (route) => {
      const response = await route.fetch()
      refused += response.status() === 401 ? 1 : 0
      await loggedIn.promise
      await route.fulfill({ response })
    })
    await until(() => refused === 1)
    await page.getByRole('button', { name: 'Export' }).click()
    await dialog(hand).getByLabel('Password').fill(admin.password)
    await dialog(hand).getByLabel('Password').press('Enter')
    await dialog(hand).waitFor({ state: 'detached' })
    const later = page.waitForResponse((answer) => answer.url().endsWith('/imports') && answer.ok())
    loggedIn.resolve()
    await later
    assert.equal(await dialog(hand).count(), 0)
    await hand.close()
  })

  test('a login in another tab goes on here; one of another person loads the page anew', async () => {
    const edd = await world.account('edd', ['EDITOR'])
    const hand = await world.window()
    const { page, context } = hand
    await hand.open('/admin/posts')
    await hand.endSession()
    const done = page.waitForResponse((answer) => answer.url().endsWith('/lock') && answer.ok())
    await lock(hand).click()
    await dialog(hand).waitFor()
    await signIn(context, world.url, admin)
    await page.evaluate(`dispatchEvent(new Event('focus'))`)
    await done
    await dialog(hand).waitFor({ state: 'detached' })

    await signIn(context, world.url, edd)
    let changes = 0
    page.on('response', (answer) => {
      if (answer.request().method() !== 'GET' && answer.ok()) changes += 1
    })
    const loaded = page.waitForEvent('load')
    await lock(hand).click()
    await loaded
    await hand.settled()
    assert.equal(changes, 0)
    assert.equal(await page.locator('.person-menu summary').innerText(), 'edd')
    await hand.close()
  })

  test('an EDITOR sees posts alone, and another address shows nothing', async () => {
    const hand = await world.window(await world.account('ella', ['EDITOR']))
    const { page } = hand
    await hand.open('/')
    await page.waitForURL('**/admin/posts')
    await hand.settled()
    assert.deepEqual(await page.locator('nav.areas a').allInnerTexts(), ['Posts'])
    assert.equal(await page.locator('header.bar input[type="search"]').count(), 0)
    await hand.open('/admin/audit')
    assert.equal(await hand.heading(), 'Nothing is here')
    await hand.assertSound('nothing')
    await page.locator('.person-menu summary').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/signout?done=1')
    await hand.close()
  })

  test('a service that is away or busy: a button tries again', async () => {
    const hand = await world.window()
    const { page } = hand
    const calls = /\/api\/editor\/posts/
    for (const [status, headers, words] of [
      [429, { 'retry-after': '7' }, /too many requests.*7 seconds/],
      [503, {}, /not available now/],
      [500, {}, /The service failed/],
      [0, {}, /does not answer/],
    ] as const) {
      await page.route(calls, (route) =>
        status === 0
          ? route.abort()
          : route.fulfill({ status, headers, json: { error: 'Made up' } }),
      )
      await hand.open('/admin/posts')
      await page.getByRole('alert').getByText(words).waitFor()
      await page.unroute(calls)
      await page.getByRole('button', { name: 'Try again' }).click()
      await lock(hand).waitFor()
      assert.equal(await page.getByRole('alert').count(), 0)
    }
    await hand.close()
  })

  test('without scripts the page says so', async () => {
    const hand = await world.window(admin, { javaScriptEnabled: false })
    await hand.page.goto(`${world.url}/admin`)
    assert.match(await hand.page.locator('body').innerText(), /needs scripts.*Your account/)
    await hand.close()
  })
})
