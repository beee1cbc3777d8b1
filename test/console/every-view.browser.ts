import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { openView, signIn, viewPaths } from '../../tools/console-shots.ts'
import { withMadeUp } from '../../tools/made-up.ts'
import { assertAccessible, assertFits, assertWholeWords, launch } from '../browser/chromium.ts'

// German words are the longest ones.
const looks = [
  { about: 'German, light, on a desk', locale: 'de-DE', colorScheme: 'light', width: 1280 },
  { about: 'German, dark, on a phone', locale: 'de-DE', colorScheme: 'dark', width: 360 },
  { about: 'English, dark, on a desk', locale: 'en-GB', colorScheme: 'dark', width: 1280 },
] as const

/** Each view of the side bar with data, an account, an answer to "Why was this refused?", and no view. */
suite('every view of the console', async () => {
  const browser = await launch()
  after(() => browser.close())

  const patient = { timeout: 480_000 }
  test(
    'axe finds nothing, nothing is wider than the window, and no word is broken within',
    patient,
    async () => {
      await withMadeUp(async (madeUp) => {
        for (const { about, width, ...look } of looks) {
          const viewport = { width, height: 800 }
          const context = await browser.newContext({ ...look, viewport, reducedMotion: 'reduce' })
          await signIn(context, madeUp)
          const page = await context.newPage()
          for (const path of await viewPaths(madeUp)) {
            await openView(page, madeUp.url + path)
            const signOut = page.locator('.person-menu form[action="/signout"] button')
            assert.equal(await signOut.count(), 1, `the way out of ${path}`)
            await assertFits(page, `${path}, ${about}`)
            await assertWholeWords(page, `${path}, ${about}`)
            await assertAccessible(page, `${path}, ${about}`)
          }
          await context.close()
        }
      })
    },
  )
})
