import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { exampleSettings, newCaller, requestOf, shownRoutes, worldOf } from '../examples.ts'
import { navigation } from '../test-browser.ts'

suite('a page behind a sign-in has the way out', async () => {
  const app = await testApp(await exampleSettings())
  const world = await worldOf(app)
  const headers = { accept: navigation }
  let found = 0

  for (const route of shownRoutes(app)) {
    if (route.method !== 'GET' || !route.schemes.includes('session')) continue
    // The console has its own menu: test/console/every-view.browser.ts.
    if (route.module === 'console') continue
    test(`GET ${route.url}, if it is a page`, async () => {
      const { make, needs } = route.example
      const caller = await newCaller(world, 'session', needs === 'factor')
      const request = requestOf(route, (await make?.(world, caller)) ?? {}, caller)
      const { path } = request
      const page = await app.call('GET', path, { headers: { ...request.headers, ...headers } })
      if (!String(page.headers['content-type']).startsWith('text/html')) return
      found += 1
      assert.equal(page.status, 200)
      assert.match(
        page.text,
        /<header class="frame">.*<a href="\/signout">Sign out<\/a>.*<\/header>/s,
      )
      const without = await app.call('GET', path, { headers })
      assert.equal(without.status, 303)
      assert.match(String(without.headers.location), /^\/signin\?return_to=/)
    })
  }

  test('there are such pages', () => {
    assert.ok(found >= 20, `${found}`)
  })
})
