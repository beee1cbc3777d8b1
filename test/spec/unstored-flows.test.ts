// A database makes a difference: what stores a flow, and what stores nothing, is counted in its tables.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { confirmationsOf } from '../confirmations.ts'
import { enrolled } from '../factor.ts'
import { mailRows, verifyAddress } from '../mail.ts'
import { pageBrowser } from '../page-browser.ts'

/** Anyone can open a page: a flow of pages is stored after a correct proof alone. */
suite('flows of pages that nothing is stored of', async () => {
  const app = await testApp({ EMAIL_SIGN_IN: 'on', SIGN_UP: 'open' })
  const { db } = app.deps
  const confirmations = await confirmationsOf(app)
  const { who: ann, device } = await enrolled(app, 'ann')
  await verifyAddress(app, ann, 'ann@example.org')
  const flows = () => db.selectFrom('flows').select(['purpose', 'step', 'user_id']).execute()
  const mailed = async () => {
    const { code, token } = await confirmations.mailed(
      (await mailRows(app)).at(-1)?.confirmation ?? '',
    )
    assert.ok(code !== null)
    return { code, token }
  }
  const waitForMail = () => app.clock.advance(61)
  const clear = () => db.deleteFrom('flows').execute()

  test('the first GET of a page stores nothing at all', async () => {
    const before = await app.rows()
    for (const path of ['/signin', '/signin?return_to=/users&by=mail', '/signup', '/reset']) {
      assert.equal((await pageBrowser(app).open(path)).status, 200, path)
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('a wrong password shows the form again, and stores no flow', async () => {
    const browser = pageBrowser(app)
    await browser.open('/signin?return_to=/users')
    for (const password of ['wrong', '']) {
      const answer = await browser.submit({ username: 'ann', password })
      assert.equal(answer.status, 401)
      assert.equal(browser.heading(), 'Sign in')
      assert.match(answer.text, /id="problem" role="alert"/)
    }
    assert.deepEqual(await flows(), [])
    await browser.submit({ username: 'ann', password: ann.password })
    assert.deepEqual(await flows(), [
      { purpose: 'page_sign_in', step: 'second_factor', user_id: ann.userId },
    ])
    await browser.submit({ totp: device.code() })
    assert.deepEqual([await flows(), browser.path()], [[], '/users'])
  })

  test('a mail that is asked for stores none, and its code or link does', async () => {
    const asks = [
      { path: '/signin?by=mail', fields: { email: 'ann@example.org' }, behind: 'page_sign_in' },
      { path: '/reset', fields: { username: 'ann' }, behind: 'page_reset' },
      { path: '/signup', fields: { email: 'new@example.org' }, behind: 'page_sign_up' },
    ]
    for (const { path, fields, behind } of asks) {
      await clear()
      waitForMail()
      const browser = pageBrowser(app)
      await browser.open(path)
      await browser.submit(fields)
      assert.equal(browser.heading(), 'Check your mailbox', path)
      waitForMail()
      await browser.submit({ resend: '1' }, 'name="resend"')
      assert.equal(browser.heading(), 'Check your mailbox', path)
      assert.equal((await browser.submit({ code: '00000000' }, 'name="code"')).status, 400)
      assert.deepEqual(await flows(), [], path)
      const { code, token } = await mailed()
      const [address = ''] = path.split('?')
      const elsewhere = pageBrowser(app)
      await elsewhere.open(`${address}?token=${token}`)
      assert.equal(elsewhere.page().status, 200)
      assert.deepEqual(await flows(), [], `the link of ${path}, before a press`)
      await browser.submit({ code }, 'name="code"')
      assert.deepEqual(
        (await flows()).map(({ purpose }) => purpose),
        [behind],
      )
    }
    await clear()
  })

  test('a form that has expired begins anew, and leads where the first one would have', async () => {
    const browser = pageBrowser(app)
    await browser.open('/signin?return_to=/users')
    app.clock.advance(1800)
    await browser.submit({ username: 'ann', password: ann.password })
    assert.match(browser.page().text, /took too long/)
    await browser.submit({ username: 'ann', password: ann.password })
    await browser.submit({ totp: device.code(1) })
    assert.equal(browser.path(), '/users')
  })

  test('two tabs go their ways, and the back button leads to a form that works', async () => {
    const bob = await app.account('bob')
    const [first, second] = [pageBrowser(app), pageBrowser(app)]
    await first.open('/signin?return_to=/users')
    for (const [name, value] of first.cookies) second.cookies.set(name, value)
    await second.open('/signin?return_to=/users/1')
    const { action, fields } = first.form()
    const sent = { ...fields, username: 'bob', password: bob.password }
    const cookie = [...first.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const post = () => app.call('POST', action, { headers: { cookie }, form: sent })
    assert.equal((await post()).headers.location, '/users')
    assert.equal((await post()).headers.location, '/users')
    await second.submit({ username: 'bob', password: bob.password })
    assert.equal(second.path(), '/users/1')
  })

  test('the language changes on a form with a long return address', async () => {
    const path = `/users?q=${'x'.repeat(2000)}`
    const browser = pageBrowser(app)
    await browser.open(`/signin?return_to=${encodeURIComponent(path)}`)
    await browser.submit({ language: 'de' }, 'action="/language"')
    assert.equal(browser.heading(), 'Anmelden')
    const bob = await app.account('bea')
    await browser.submit({ username: 'bea', password: bob.password })
    assert.equal(browser.path(), path)
  })
})
