import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { handAt, ways } from './hand.ts'
import { startWorld } from './people.ts'

/** Every way in, out, and back to where the person came from. */
suite('the sign-in pages in a real browser', async () => {
  const world = await startWorld()

  for (const [index, way] of ways.entries()) {
    test(`password, then app or recovery code, ${way.about}`, async () => {
      const ann = await world.account(`ann${index}`)
      const { codes, key } = await world.enrol(ann)
      const hand = await handAt(world.browser, way)
      await hand.open(`${world.url}/signin?return_to=/account/sessions`)
      await hand.fill({ username: ann.email, password: 'not this one' })
      await hand.press()
      assert.equal(await hand.page.locator('[role=alert]').count(), 1)
      await hand.fill({ password: ann.password })
      await hand.press()
      await hand.at('/signin')
      await hand.fill({ totp: '000000' })
      await hand.press()
      assert.equal(await hand.page.locator('[role=alert]').count(), 1)
      await hand.fill({ totp: world.codeOf(key) })
      await hand.press()
      await hand.at('/account/sessions')

      // Out, and in again with a recovery code.
      await hand.open(`${world.url}/account`)
      await hand.press('header a[href="/signout"]')
      await hand.press()
      await hand.at('/signout')
      await hand.press('main a[href="/signin"]')
      await hand.fill({ username: ann.username, password: ann.password })
      await hand.press()
      await hand.fill({ recovery_code: codes[0] ?? '' })
      await hand.press()
      await hand.at('/account')
      await hand.close()
    })

    test(`a device is remembered and forgotten, ${way.about}`, async () => {
      const uma = await world.account(`uma${index}`)
      const { codes, key } = await world.enrol(uma)
      const hand = await handAt(world.browser, way)
      const signIn = async () => {
        await hand.open(`${world.url}/signin?return_to=/account/devices`)
        await hand.fill({ username: uma.username, password: uma.password })
        await hand.press()
      }
      await signIn()
      await hand.fill({ totp: '000000' })
      await hand.tick('remember_device')
      await hand.press()
      assert.equal(await hand.page.locator('input[name="remember_device"]').isChecked(), true)
      await hand.fill({ totp: world.codeOf(key) })
      await hand.press()
      await hand.at('/account/devices')
      assert.equal((await hand.texts('main tbody tr')).length, 1)

      await hand.context.clearCookies({ name: 'JSESSIONID' })
      await signIn()
      await hand.at('/account/devices')

      // A session without the code is not recent.
      await hand.press('main form[action$="/forget-all"] button')
      await hand.at('/signin')
      await hand.fill({ password: uma.password })
      await hand.press()
      await hand.fill({ recovery_code: codes[0] ?? '' })
      await hand.press()
      await hand.at('/account/devices')
      await hand.press('main form[action$="/forget-all"] button')
      assert.equal((await hand.texts('main tbody tr')).length, 0)
      await hand.context.clearCookies({ name: 'JSESSIONID' })
      await signIn()
      assert.equal(await hand.page.locator('input[name="totp"]').isVisible(), true)
      await hand.close()
    })

    test(`a session that is kept outlives the browser, ${way.about}`, async () => {
      const vic = await world.account(`vic${index}`)
      const hand = await handAt(world.browser, way)
      await hand.open(`${world.url}/signin?return_to=/account/sessions`)
      await hand.fill({ username: vic.username, password: vic.password })
      await hand.tick('keep_signed_in')
      await hand.press()
      await hand.at('/account/sessions')
      assert.match((await hand.texts('main tbody')).join(), /kept signed in|bleibt angemeldet/)
      const cookies = await hand.context.cookies()
      const session = cookies.find(({ name }) => name === 'JSESSIONID')
      const days = ((session?.expires ?? 0) - Date.now() / 1000) / 86_400
      assert.ok(days > 29 && days <= 30, String(days))
      await hand.close()
    })

    test(`a new password that is due, ${way.about}`, async () => {
      const ben = await world.account(`ben${index}`)
      await world.api('PUT', `/api/admin/accounts/${ben.username}`, { must_change: true })
      const hand = await handAt(world.browser, way)
      await hand.open(`${world.url}/signin`)
      await hand.fill({ username: ben.username, password: ben.password })
      await hand.press()
      await hand.fill({ new_password: ben.password, new_password_again: ben.password })
      await hand.press()
      assert.equal(await hand.page.locator('[role=alert]').count(), 1)
      const other = `${ben.password} anew`
      await hand.fill({ new_password: other, new_password_again: other })
      await hand.press()
      await hand.at('/account')
      await hand.close()
    })

    test(`a second factor that is due, ${way.about}`, async () => {
      const cat = await world.account(`cat${index}`, ['USER', 'CLERK'])
      const hand = await handAt(world.browser, way)
      await hand.open(`${world.url}/signin`)
      await hand.fill({ username: cat.username, password: cat.password })
      await hand.press()
      assert.equal(await hand.page.locator('main svg').isVisible(), true)
      const [key = ''] = await hand.texts('#secret')
      await hand.fill({ totp: world.codeOf(key) })
      await hand.press()
      assert.equal(new Set(await hand.texts('#codes li')).size, 10)
      await hand.press()
      await hand.at('/account')
      await hand.page.goBack()
      assert.equal((await hand.texts('#codes li')).length, 0)
      await hand.close()
    })

    test(`from an application and back to it, ${way.about}`, async () => {
      const dan = await world.account(`dan${index}`)
      const hand = await handAt(world.browser, way)
      await hand.page.goto(world.application)
      await hand.page.click('a')
      await hand.page.waitForURL(`${world.url}/signin?**here=1`)
      await hand.fill({ username: dan.username, password: dan.password })
      await hand.press()
      assert.equal(hand.page.url(), `${world.application}/back?x=1`)
      // Signed in already: there and back without a question.
      await hand.page.click('a')
      await hand.page.waitForURL(`${world.application}/back?x=1`)
      await hand.close()
    })

    test(`a proof of work after wrong passwords, ${way.about}`, async () => {
      const eve = await world.account(`eve${index}`)
      const hand = await handAt(world.browser, way)
      await hand.open(`${world.url}/signin`)
      await hand.fill({ username: eve.username })
      for (let wrong = 0; wrong < 3; wrong += 1) {
        await hand.fill({ password: 'not this one' })
        await hand.press()
      }
      if (hand.hasScripts) {
        // A function would be evaluated as a string, which the policy of the page refuses.
        await hand.page.waitForSelector('input[name=captcha][value]:not([value=""])', {
          state: 'attached',
        })
        await hand.fill({ password: eve.password })
        await hand.press()
        await hand.at('/account')
      } else {
        assert.match((await hand.texts('.captcha')).join(), /JavaScript/)
        await hand.fill({ password: eve.password })
        await hand.press()
        assert.equal(hand.path(), '/signin')
      }
      await hand.close()
    })

    test(`a mailed code, and a mailed link here and elsewhere, ${way.about}`, async () => {
      const fay = await world.account(`fay${index}`)
      const hand = await handAt(world.browser, way)
      const other = await handAt(world.browser, way)
      const ask = async () => {
        await world.later()
        await hand.open(`${world.url}/signin?again=1`)
        await hand.press('main a[href*="by=mail"]')
        await hand.fill({ email: fay.email })
        await hand.press()
        return world.mailTo(fay.email)
      }
      const { code } = await ask()
      await hand.fill({ code })
      await hand.press()
      await hand.at('/account')
      await hand.context.clearCookies({ name: 'JSESSIONID' })
      const here = await ask()
      await hand.open(here.link)
      assert.equal(await hand.page.locator('main dl').count(), 0)
      await hand.press()
      await hand.at('/account')
      await hand.context.clearCookies({ name: 'JSESSIONID' })
      const elsewhere = await ask()
      await other.open(elsewhere.link)
      assert.equal(await other.page.locator('main .warning').count(), 1)
      await other.press()
      await other.at('/account')
      await hand.open(elsewhere.link)
      assert.equal(await hand.page.locator('main form').count(), 0)
      await other.close()
      await hand.close()
    })

    test(`a forgotten password with a second factor, ${way.about}`, async () => {
      const gil = await world.account(`gil${index}`)
      const { key } = await world.enrol(gil)
      const hand = await handAt(world.browser, way)
      await hand.open(`${world.url}/.well-known/change-password`)
      await hand.at('/signin')
      await hand.press('main a[href="/reset"]')
      await hand.fill({ username: gil.username })
      await hand.press()
      await hand.at('/reset')
      const mail = await world.mailTo(gil.email)
      if (way.isKeyboard) {
        await hand.fill({ code: mail.code })
        await hand.press()
      } else {
        await hand.open(mail.link)
      }
      await hand.fill({ totp: world.codeOf(key) })
      await hand.press()
      const password = 'another lantern for quilts 7'
      await hand.fill({ new_password: password, new_password_again: password })
      await hand.press()
      await hand.at('/reset')
      await world.later()
      await hand.press('main a[href="/signin"]')
      await hand.fill({ username: gil.username, password })
      await hand.press()
      await hand.fill({ totp: world.codeOf(key) })
      await hand.press()
      await hand.at('/account')
      await hand.close()
    })
  }
})
