import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { shownExamples } from '../page-examples.ts'
import { assertAccessible, assertFits, launch, openPage } from './chromium.ts'
import { origin, pathOf, serveExamples } from './served-examples.ts'

// Hundreds of pages, one after the other.
const patient = { timeout: 240_000 }

/** Every page in each of its states: what a flow adds to `web/examples` is tested here. */
suite('the examples of all pages, in a real browser', async () => {
  const shown = await shownExamples()
  const browser = await launch()
  after(() => browser.close())

  async function withPages(options: BrowserContextOptions) {
    const context = await browser.newContext(options)
    await serveExamples(context, shown)
    return { context, ...(await openPage(context)) }
  }

  const inLanguage = (wanted: string) => shown.filter(({ language }) => language === wanted)
  // German words are the longest ones.
  for (const [about, options, those] of [
    [
      'light, on a desk',
      { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
      inLanguage('en'),
    ],
    [
      'dark, on a phone',
      { colorScheme: 'dark', viewport: { width: 320, height: 640 } },
      inLanguage('de'),
    ],
  ] as const) {
    test(
      `${about}: axe finds nothing, nothing is wider than the window, the policy refuses nothing`,
      patient,
      async () => {
        const { context, page, complaints } = await withPages(options)
        for (const one of those) {
          const where = `${pathOf(one)}, ${about}`
          await page.goto(origin + pathOf(one))
          await assertFits(page, where)
          await assertAccessible(page, where)
          // The proof of work has no service here that gives a challenge.
          const others = complaints.splice(0).filter((text) => !text.includes('status of 404'))
          assert.deepEqual(others, [], where)
        }
        await context.close()
      },
    )
  }

  test('at 200 % nothing is wider than the window', patient, async () => {
    const { context, page } = await withPages({
      viewport: { width: 640, height: 450 },
      deviceScaleFactor: 2,
    })
    for (const one of inLanguage('de')) {
      await page.goto(origin + pathOf(one))
      await assertFits(page, pathOf(one))
    }
    await context.close()
  })

  test('in forced colours, buttons and fields have a border', patient, async () => {
    const { context, page } = await withPages({ forcedColors: 'active' })
    for (const one of inLanguage('en')) {
      await page.goto(origin + pathOf(one))
      const bare = await page
        .locator('main :is(button:not(.link), .button, input:not([type=hidden])):visible')
        .evaluateAll((all) =>
          (all as unknown as { computedStyleMap(): Map<string, unknown>; outerHTML: string }[])
            .filter(
              (element) => String(element.computedStyleMap().get('border-top-width')) === '0px',
            )
            .map(({ outerHTML }) => outerHTML),
        )
      assert.deepEqual(
        bare.filter((html) => !html.includes('for-managers')),
        [],
        pathOf(one),
      )
    }
    await context.close()
  })

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

  test(
    'the focus is on what is wrong, or on the first field; and the keyboard reaches all',
    patient,
    async () => {
      const { context, page } = await withPages({ viewport: { width: 1280, height: 900 } })
      for (const one of inLanguage('en')) {
        const where = pathOf(one)
        await page.goto(origin + where)
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
        const wanted = await page
          .locator('main :is(a[href], button, input:not([type=hidden], [tabindex="-1"]), select)')
          .evaluateAll(
            (all) =>
              (all as unknown as { disabled?: boolean; offsetParent: unknown }[]).filter(
                (element) => element.offsetParent !== null && element.disabled !== true,
              ).length,
          )
        await page.locator('#main').focus()
        const reached = new Set<string>()
        for (let pressed = 0; pressed < wanted; pressed += 1) {
          await page.keyboard.press('Tab')
          reached.add(
            String(
              await page.evaluate(
                "document.activeElement.closest('main') ? [...document.querySelectorAll('main *')].indexOf(document.activeElement) : 'outside'",
              ),
            ),
          )
        }
        assert.equal(reached.size, wanted, where)
        assert.equal(reached.has('outside'), false, where)
      }
      await context.close()
    },
  )
})
