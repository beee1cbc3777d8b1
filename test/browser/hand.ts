import assert from 'node:assert/strict'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { assertAccessible, assertFits, openPage } from './chromium.ts'

/** How a person goes about it; each journey is made in both ways. */
export const ways = [
  {
    about: 'by keyboard alone on a desk, with scripts',
    isKeyboard: true,
    options: { viewport: { width: 1280, height: 900 }, locale: 'en-GB' },
  },
  {
    about: 'by touch on a phone in the dark, without scripts, in German',
    isKeyboard: false,
    options: {
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
      hasTouch: true,
      isMobile: true,
      javaScriptEnabled: false,
      locale: 'de-DE',
    },
  },
] as const satisfies readonly Way[]

export interface Way {
  readonly about: string
  readonly isKeyboard: boolean
  readonly options: BrowserContextOptions
}

/** What password managers are told of each field, by its name. */
const autocompletes: Readonly<Record<string, string>> = {
  username: 'username',
  email: 'email',
  name: 'name',
  password: 'current-password',
  current_password: 'current-password',
  new_password: 'new-password',
  new_password_again: 'new-password',
  totp: 'one-time-code',
  code: 'one-time-code',
  recovery_code: 'off',
}

const mainButton = 'main form button[type=submit]:not(.quiet)'
const refusals = /the server responded with a status of 4\d\d/
/** What Chromium says where a field was filled before the first frame of the page. */
const fasterThanAutofocus = 'Autofocus processing was blocked because'

export interface Hand {
  readonly page: Page
  readonly context: BrowserContext
  readonly hasScripts: boolean
  /** Opens an address, as if it were typed or followed from a mail. */
  open(address: string): Promise<void>
  fill(fields: Readonly<Record<string, string>>): Promise<void>
  /**
   * Presses a button or follows a link, which leads to another page; by default the main button.
   * `arrival` is where it ends, if pages on the way go on by themselves.
   */
  press(selector?: string, arrival?: string): Promise<void>
  /** Ticks a box. */
  tick(name: string): Promise<void>
  /** Chooses an option of a list. */
  choose(name: string, value: string): Promise<void>
  /** The path of the page, without its query. */
  path(): string
  /** The texts of all that a selector finds. */
  texts(selector: string): Promise<string[]>
  /** Asserts where the page is and that nothing is wrong with it. */
  at(path: string): Promise<void>
  /** Asserts that the page tells of a problem. */
  isToldOf(problem: RegExp): Promise<void>
  close(): Promise<void>
}

/** A person at a browser of their own. A module from outside says of its own fields. */
export async function handAt(
  browser: Browser,
  way: Way,
  ofFields: Readonly<Record<string, string>> = {},
): Promise<Hand> {
  const context = await browser.newContext(way.options)
  const { page, complaints } = await openPage(context)
  const hasScripts = way.options.javaScriptEnabled !== false

  /** Moves the focus with the Tab key to the element that the selector finds. */
  async function tabTo(selector: string): Promise<void> {
    const isThere = () =>
      page.evaluate((wanted) => {
        const { document: shown } = globalThis as unknown as {
          document: { activeElement: { matches(text: string): boolean } | null }
        }
        return shown.activeElement?.matches(wanted) ?? false
      }, selector)
    for (let pressed = 0; pressed < 80; pressed += 1) {
      if (await isThere()) return
      await page.keyboard.press('Tab')
    }
    assert.fail(`the keyboard does not reach ${selector} at ${page.url()}`)
  }

  /** Opens the part of the page that hides a field, as a person does. */
  async function unfold(field: string): Promise<void> {
    const summary = `details:not([open]):has(${field}) > summary`
    if ((await page.locator(summary).count()) === 0) return
    if (!way.isKeyboard) return page.locator(summary).tap()
    await tabTo(summary)
    await page.keyboard.press('Enter')
  }

  const hand: Hand = {
    page,
    context,
    hasScripts,
    async open(address) {
      await page.goto(address)
      await look()
    },
    async fill(fields) {
      for (const [name, text] of Object.entries(fields)) {
        const field = `input[name="${name}"]:not(.for-managers)`
        await unfold(field)
        if (!way.isKeyboard) {
          await page.locator(field).fill(text)
          continue
        }
        await tabTo(field)
        await page.keyboard.press('Control+A')
        await page.keyboard.insertText(text)
      }
    },
    async press(selector = mainButton, arrival) {
      if (way.isKeyboard) await tabTo(selector)
      const loaded = arrival ? page.waitForURL(arrival) : page.waitForEvent('load')
      if (way.isKeyboard) await page.keyboard.press('Enter')
      else await page.locator(selector).first().tap({ noWaitAfter: true })
      await loaded
      await look()
    },
    async tick(name) {
      const box = `input[name="${name}"]`
      if (way.isKeyboard) {
        await tabTo(box)
        await page.keyboard.press('Space')
      } else await page.locator(box).tap()
      assert.equal(await page.locator(box).isChecked(), true)
    },
    async choose(name, value) {
      const field = page.locator(`select[name="${name}"]`)
      if (way.isKeyboard) await tabTo(`select[name="${name}"]`)
      await field.selectOption(value)
    },
    path: () => new URL(page.url()).pathname,
    texts: (selector) => page.locator(selector).allTextContents(),
    async at(path) {
      const text = (await hand.texts('main')).join()
      assert.equal(hand.path(), path, text)
      assert.deepEqual(await hand.texts('main .notice.bad'), [], `at ${path}`)
    },
    async isToldOf(problem) {
      const told = (await hand.texts('main [role=alert]')).join(' ')
      assert.match(told, problem)
    },
    async close() {
      assert.deepEqual(complaints, [])
      await context.close()
    },
  }
  return hand

  async function look(): Promise<void> {
    const where = `${page.url()}, ${way.about}`
    // The refusal of a form is a page with its status, which the console tells.
    const others = complaints
      .splice(0)
      .filter((text) => !refusals.test(text) && !text.startsWith(fasterThanAutofocus))
    assert.deepEqual(others, [], where)
    await assertFits(page, where)
    const fields = await page
      .locator('main input:not([type=hidden], [type=checkbox])')
      .evaluateAll((all) =>
        (all as unknown as { name: string; getAttribute(name: string): string | null }[]).map(
          (field) => [field.name, field.getAttribute('autocomplete')],
        ),
      )
    const expected = fields.map(([name]) => [name, { ...autocompletes, ...ofFields }[String(name)]])
    assert.deepEqual(fields, expected, where)
    // Axe needs the timers of the page. The same pages with scripts have been looked at.
    if (hasScripts) await assertAccessible(page, where)
  }
}
