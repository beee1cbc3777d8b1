import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Hand, handAt, ways } from './hand.ts'
import { type Person, startWorld } from './people.ts'

const hour = 3600

/** What a person does with the own account, and what happens when the session ends meanwhile. */
suite('the own account in a real browser', async () => {
  const world = await startWorld()

  async function signIn(hand: Hand, { username, password }: Person): Promise<void> {
    await hand.open(`${world.url}/signin`)
    await hand.fill({ username, password })
    await hand.press()
  }

  // First: the tokens of the provider, whose clock stays, expire when that of the service moves.
  for (const [index, way] of ways.entries()) {
    test(`through a provider, then the second factor; and refused, ${way.about}`, async () => {
      const sub = `kay${index}`
      world.provider.person = {
        sub,
        name: 'Kay',
        email: `${sub}@example.com`,
        preferred_username: sub,
      }
      const hand = await handAt(world.browser, way)
      await hand.open(`${world.url}/signin`)
      await hand.press('main a[href^="/oauth/"]', `${world.url}/account`)
      await hand.press('main a[href="/account/second-factor"]')
      await hand.open(`${world.url}/account/confirm?for=factor`)
      await hand.press(undefined, '**/account/confirm?flow=*')
      await hand.press()
      await hand.at('/account/second-factor')
      await hand.press()
      const [key = ''] = await hand.texts('#secret')
      await hand.fill({ totp: world.codeOf(key) })
      await hand.press()
      await world.later()
      await hand.context.clearCookies({ name: 'JSESSIONID' })
      await hand.open(`${world.url}/signin`)
      await hand.press('main a[href^="/oauth/"]')
      assert.equal(await hand.page.locator('input[name=totp]').count(), 1)
      await hand.fill({ totp: world.codeOf(key) })
      await hand.press(undefined, `${world.url}/account`)

      await hand.context.clearCookies()
      world.provider.person = null
      await hand.open(`${world.url}/signin`)
      await hand.press('main a[href^="/oauth/"]')
      assert.equal(await hand.page.locator('main form').count(), 0)
      await hand.press('main a.button')
      await hand.close()
    })
  }

  for (const [index, way] of ways.entries()) {
    test(`password, sessions, language and notices, ${way.about}`, async () => {
      const person = await world.account(`hal${index}`)
      const [hand, other] = [await handAt(world.browser, way), await handAt(world.browser, way)]
      await signIn(hand, person)
      await signIn(other, person)
      await hand.press('main a[href="/account/sessions"]')
      assert.equal(await hand.page.locator('main tbody tr').count(), 2)
      await hand.press('form[action="/account/sessions/end"] button')
      await hand.at('/account/sessions')
      assert.equal(await hand.page.locator('main tbody tr').count(), 1)
      // The other browser is asked to sign in, and comes back to where it was.
      await other.open(`${world.url}/account/password`)
      await other.at('/signin')
      await other.fill({ username: person.username, password: person.password })
      await other.press()
      await other.at('/account/password')
      const password = `${person.password} anew`
      const twice = { new_password: password, new_password_again: password }
      await other.fill({ current_password: 'not this one', ...twice })
      await other.press()
      assert.equal(
        await other.page.locator('input[name=current_password]').getAttribute('aria-invalid'),
        'true',
      )
      await other.isToldOf(/^(There is a problem|Es gibt ein Problem)/)
      await other.fill({ current_password: person.password, ...twice })
      await other.press()
      assert.equal(await other.page.locator('main [role=status]').count(), 1)
      // The password has ended the first session.
      await hand.open(`${world.url}/account`)
      await hand.at('/signin')
      await hand.fill({ username: person.username, password })
      await hand.press()
      await hand.at('/account')

      await hand.choose('language', way.isKeyboard ? 'de' : 'en')
      await hand.press('form[action="/account/language"] button')
      assert.equal(
        await hand.page.locator('html').getAttribute('lang'),
        way.isKeyboard ? 'de' : 'en',
      )
      await hand.press('main a[href="/account/notices"]')
      assert.ok((await hand.page.locator('main tbody tr').count()) > 0)
      await hand.close()
      await other.close()
    })

    test(`an app, its recovery codes, and a recent login, ${way.about}`, async () => {
      const person = await world.account(`ida${index}`)
      const hand = await handAt(world.browser, way)
      await signIn(hand, person)
      await world.later(0.3 * hour)
      await hand.press('main a[href="/account/second-factor"]')
      if (hand.path() !== '/signin') await hand.press()
      await hand.at('/signin')
      assert.equal(await hand.page.locator('input[name=username]').inputValue(), person.username)
      await hand.fill({ password: person.password })
      await hand.press()
      await hand.at('/account/second-factor')
      await hand.press()
      await hand.at('/account/confirm')
      await hand.fill({ current_password: person.password })
      await hand.press()
      const [key = ''] = await hand.texts('#secret')
      assert.equal(await hand.page.locator('main svg').isVisible(), true)
      await hand.fill({ totp: '000000' })
      await hand.press()
      assert.equal(await hand.page.locator('input[name=totp]').getAttribute('aria-invalid'), 'true')
      await hand.fill({ totp: world.codeOf(key) })
      await hand.press()
      const codes = await hand.texts('#codes li')
      assert.equal(codes.length, 10)
      await hand.press('main a[href="/account"]')
      await world.later()
      await hand.press('main a[href="/account/recovery-codes"]')
      await hand.press()
      await hand.at('/account/confirm')
      await hand.fill({ current_password: person.password, totp: world.codeOf(key) })
      await hand.press()
      const renewed = await hand.texts('#codes li')
      assert.equal(new Set([...codes, ...renewed]).size, 20)
      await hand.open(`${world.url}/account/second-factor/remove`)
      await hand.press()
      await hand.at('/account/confirm')
      await hand.fill({ current_password: person.password, recovery_code: renewed[0] ?? '' })
      await hand.press()
      await hand.at('/account/second-factor')
      await hand.close()
    })

    test(`another address, and the way back, ${way.about}`, async () => {
      const person = await world.account(`jon${index}`)
      const hand = await handAt(world.browser, way)
      await signIn(hand, person)
      await hand.press('main a[href="/account/email"]')
      const email = `other${index}@example.net`
      await hand.fill({ email: 'nothing' })
      await hand.press()
      assert.equal(
        await hand.page.locator('input[name=email]').getAttribute('aria-invalid'),
        'true',
      )
      await hand.fill({ email })
      await hand.press()
      await hand.at('/account/confirm')
      await hand.fill({ current_password: person.password })
      await hand.press()
      const { code, link } = await world.mailTo(email)
      if (way.isKeyboard) {
        await hand.fill({ code })
        await hand.press('form[action="/account/email/confirm"] button')
        await hand.at('/account/email')
      } else {
        await hand.open(link)
        await hand.at('/verify')
        await hand.press()
      }
      await hand.open(`${world.url}/account/email`)
      assert.ok((await hand.texts('main strong')).includes(email))
      const back = await world.mailTo(person.email)
      await hand.open(back.link)
      await hand.at('/verify')
      await hand.press()
      await hand.at('/reset')
      const next = 'a quieter melon rolls uphill'
      await hand.fill({ new_password: next, new_password_again: next })
      await hand.press()
      await hand.at('/reset')
      assert.equal(await hand.page.locator('input[name=new_password]').count(), 0)
      await hand.open(`${world.url}/account`)
      await hand.at('/signin')
      await hand.close()
    })
  }
})
