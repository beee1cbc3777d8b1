import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { type Shown, shownExamples } from '../page-examples.ts'
import { assertAccessible, assertFits, assertWholeWords, launch, openPage } from './chromium.ts'
import { origin, pathOf, serveExamples } from './served-examples.ts'

// Hundreds of pages, one after the other.
const patient = { timeout: 480_000 }

/**
 * Every page in each of its states, from the `examples.ts` of `web/pages`. A page is loaded once for all
 * assertions of one language, and two of the tests run at a time.
 */
suite('the examples of all pages, in a real browser', { concurrency: 2 }, async () => {
  const shown = await shownExamples()
  const browser = await launch()
  after(() => browser.close())

  async function withPages(options: BrowserContextOptions) {
    const context = await browser.newContext(options)
    await serveExamples(context, shown)
    return { context, ...(await openPage(context)) }
  }

  const inLanguage = (wanted: string) => shown.filter(({ language }) => language === wanted)

  /** Of all that is asked of a page, the policy must have refused nothing. */
  function assertNoComplaints(complaints: string[], where: string): void {
    // The proof of work has no service here that gives a challenge.
    const others = complaints.splice(0).filter((text) => !text.includes('status of 404'))
    assert.deepEqual(others, [], where)
  }

  test(
    'light, on a desk: the focus is on what is wrong, or on the first field; axe finds nothing; nothing is wider than the window; the keyboard reaches all; in forced colours buttons and fields have a border; the policy refuses nothing',
    patient,
    async () => {
      const { context, page, complaints } = await withPages({
        colorScheme: 'light',
        viewport: { width: 1280, height: 900 },
      })
      for (const one of inLanguage('en')) {
        const where = `${pathOf(one)}, light, on a desk`
        await page.emulateMedia({ forcedColors: 'none' })
        await page.goto(origin + pathOf(one))
        await assertFocus(page, one)
        await assertFits(page, where)
        await assertWholeWords(page, where)
        await assertAccessible(page, where)
        await assertReachable(page, where)
        await page.emulateMedia({ forcedColors: 'active' })
        await assertBorders(page, where)
        assertNoComplaints(complaints, where)
      }
      await context.close()
    },
  )

  // German words are the longest ones.
  test(
    'dark, on a phone, and at 200 %: axe finds nothing, nothing is wider than the window, the policy refuses nothing',
    patient,
    async () => {
      const phone = { width: 320, height: 640 }
      const { context, page, complaints } = await withPages({
        colorScheme: 'dark',
        deviceScaleFactor: 2,
        viewport: phone,
      })
      for (const one of inLanguage('de')) {
        const where = `${pathOf(one)}, dark, on a phone`
        await page.setViewportSize(phone)
        await page.goto(origin + pathOf(one))
        await assertFits(page, where)
        await assertWholeWords(page, where)
        await assertAccessible(page, where)
        await page.setViewportSize({ width: 640, height: 450 })
        await assertFits(page, `${where}, at 200 %`)
        assertNoComplaints(complaints, where)
      }
      await context.close()
    },
  )

  test(
    'without scripts: all of it is there, and nothing is offered that needs them',
    patient,
    async () => {
      const { context, page } = await withPages({ javaScriptEnabled: false })
      for (const one of inLanguage('en')) {
        await page.goto(origin + pathOf(one))
        assert.equal(await page.locator('h1').isVisible(), true)
        for (const button of await page.locator('main button').all()) {
          const isForScripts = (await button.getAttribute('type')) === 'button'
          assert.equal(await button.isVisible(), !isForScripts, pathOf(one))
          if (!isForScripts) assert.equal(await button.isEnabled(), true, pathOf(one))
        }
      }
      await context.close()
    },
  )
})

/** Asserts that the focus is where a person goes on. */
async function assertFocus(page: Page, one: Shown): Promise<void> {
  const where = pathOf(one)
  // A browser gives it when it draws the page, which may be after it was loaded.
  if (one.text.includes(' autofocus')) {
    await page.waitForSelector(':focus')
  }
  const state = await page.evaluate(() => {
    const { document: page } = globalThis as unknown as {
      document: { activeElement: Element; querySelector(text: string): Element | null }
    }
    interface Element {
      readonly id: string
      matches(text: string): boolean
    }
    return {
      isAlert: page.activeElement.matches('[role="alert"]'),
      isField: page.activeElement.matches('main input'),
      isWrong: page.activeElement.matches('[aria-invalid="true"]'),
      hasAlert: page.querySelector('main [role="alert"]') !== null,
      hasWrong: page.querySelector('main [aria-invalid="true"]') !== null,
    }
  })
  if (state.hasWrong) assert.equal(state.isWrong || state.isAlert, true, where)
  // A proof of work that is asked for is told, and the password is typed again.
  else if (state.hasAlert) assert.equal(state.isAlert || state.isField, true, where)
}

/** Asserts that Tab reaches everything that can be used, one after the other, and nothing else. */
async function assertReachable(page: Page, where: string): Promise<void> {
  const wanted = await page
    .locator('main :is(a[href], button, input:not([type=hidden], [tabindex="-1"]), select)')
    .evaluateAll(
      (all) =>
        (all as unknown as { disabled?: boolean; offsetParent: unknown }[]).filter(
          (element) => element.offsetParent !== null && element.disabled !== true,
        ).length,
    )
  await page.locator('#main').focus()
  // The page itself notes where the focus is after each key: to ask each time takes as long again.
  await page.evaluate(`
    globalThis.reached = []
    document.addEventListener('keyup', () => {
      const all = [...document.querySelectorAll('main *')]
      const { activeElement } = document
      reached.push(activeElement.closest('main') ? all.indexOf(activeElement) : 'outside')
    }, { capture: true })`)
  for (let pressed = 0; pressed < wanted; pressed += 1) await page.keyboard.press('Tab')
  const reached = (await page.evaluate('reached')) as (number | string)[]
  assert.equal(reached.length, wanted, where)
  assert.equal(new Set(reached).size, wanted, where)
  assert.equal(reached.includes('outside'), false, where)
}

/** Asserts that what can be used is told from its ground without its colours. */
async function assertBorders(page: Page, where: string): Promise<void> {
  const bare = await page
    .locator('main :is(button:not(.link), .button, input:not([type=hidden])):visible')
    .evaluateAll((all) =>
      (all as unknown as { computedStyleMap(): Map<string, unknown>; outerHTML: string }[])
        .filter((element) => String(element.computedStyleMap().get('border-top-width')) === '0px')
        .map(({ outerHTML }) => outerHTML),
    )
  assert.deepEqual(
    bare.filter((html) => !html.includes('for-managers')),
    [],
    where,
  )
}
