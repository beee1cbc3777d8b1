import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { handAt, ways } from './hand.ts'
import { personOf, startWorld } from './people.ts'

/** From an address to an account: by the mailed code, by the mailed link, and by an invitation. */
suite('sign-up in a real browser', async () => {
  const world = await startWorld()

  for (const [index, way] of ways.entries()) {
    test(`by mail, ${way.about}`, async () => {
      const { email, password, username } = personOf(`newcomer${index}`)
      const hand = await handAt(world.browser, way)
      await hand.open(`${world.url}/signin`)
      await hand.press('main a[href="/signup"]')
      await hand.fill({ email: 'not an address' })
      await hand.press()
      assert.equal(
        await hand.page.locator('input[name=email]').getAttribute('aria-invalid'),
        'true',
      )
      await hand.fill({ email })
      await hand.press()
      await hand.at('/signup')
      const mail = await world.mailTo(email)
      await hand.fill({ code: mail.code === '00000000' ? '00000001' : '00000000' })
      await hand.press()
      assert.equal(await hand.page.locator('input[name=code]').getAttribute('aria-invalid'), 'true')
      if (way.isKeyboard) {
        await hand.fill({ code: mail.code })
        await hand.press()
      } else {
        await hand.open(mail.link)
        assert.equal(hand.page.url().includes('token'), false)
      }
      await hand.at('/signup')
      const repeated = { new_password: password, new_password_again: password }
      await hand.fill({ username: 'admin', name: 'New Comer', ...repeated })
      await hand.press()
      assert.equal(
        await hand.page.locator('input[name=username]').getAttribute('aria-invalid'),
        'true',
      )
      await hand.fill({ username, ...repeated })
      await hand.press()
      await hand.at('/account')
      assert.ok((await hand.texts('dd')).includes(email))
      // The link counts once.
      await hand.open(mail.link)
      assert.equal(await hand.page.locator('main form').count(), 0)
      await hand.close()
    })

    test(`by invitation, ${way.about}`, async () => {
      const { email, password, username } = personOf(`guest${index}`)
      await world.api('POST', '/api/admin/invitations', { email, roles: ['USER'] })
      const { link } = await world.mailTo(email)
      const hand = await handAt(world.browser, way)
      await hand.open(link)
      await hand.at('/invitation')
      assert.deepEqual(await hand.texts('main strong'), [email])
      await hand.fill({
        username,
        name: 'Guest',
        new_password: 'short',
        new_password_again: 'short',
      })
      await hand.press()
      assert.equal(
        await hand.page.locator('input[name=new_password]').getAttribute('aria-invalid'),
        'true',
      )
      await hand.fill({ new_password: password, new_password_again: password })
      await hand.press()
      await hand.at('/account')
      assert.ok((await hand.texts('dd')).includes(username))
      await hand.close()
    })
  }
})
