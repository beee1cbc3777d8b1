import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

const axe = readFileSync(
  join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'),
  'utf8',
)

const usual = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking']

export const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** Starts Debian's Chromium; `npm run test:browser` needs it. */
export function launch(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [...usual, ...more],
  })
}

/** Opens a page, and collects what its console complains of, violations of the policy among it. */
export async function openPage(
  from: Browser | BrowserContext,
): Promise<{ page: Page; complaints: string[] }> {
  const page = await from.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() !== 'debug') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return { page, complaints }
}

interface Axe {
  run(options: object): Promise<{
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]
  }>
}

/** Asserts that axe-core finds nothing against WCAG 2.2 A and AA, nor against its best practices. */
export async function assertAccessible(page: Page, about: string): Promise<void> {
  await page.evaluate(axe)
  const violations = await page.evaluate(async () => {
    const { axe: loaded } = globalThis as unknown as { axe: Axe } // by the line before
    const result = await loaded.run({ resultTypes: ['violations'] })
    return result.violations.map(({ id, nodes }) => ({
      id,
      first: nodes[0]?.html.slice(0, 300),
      why: nodes[0]?.failureSummary,
      count: nodes.length,
    }))
  })
  assert.deepEqual(violations, [], about)
}

/**
 * Asserts that no word is broken within. Codes and names of settings may be, and words longer than the longest German
 * words; addresses break after `@`, `.`, `/`, `:` and `-`.
 */
export async function assertWholeWords(page: Page, about: string): Promise<void> {
  const broken = await page.evaluate(`(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    const broken = []
    while (texts.nextNode()) {
      const node = texts.currentNode
      if (node.parentElement.closest('code, pre, a[href*="token="], script, style, svg')) continue
      const { parentElement } = node
      // Folded, or for a screen reader.
      if (!parentElement.checkVisibility() || parentElement.offsetWidth <= 1) continue
      for (const { index, 0: word } of node.data.matchAll(/[^\\s@./:-]+/g)) {
        if (word.length > 30 || /[\u00ad_]/.test(word)) continue
        range.setStart(node, index)
        range.setEnd(node, index + word.length)
        const drawn = [...range.getClientRects()].filter(({ width }) => width > 1)
        const tops = new Set(drawn.map(({ top }) => Math.round(top)))
        if (tops.size > 1) broken.push(word)
      }
    }
    return broken
  })()`)
  assert.deepEqual(broken, [], `${about}: words that are broken within`)
}

/** Asserts that nothing is wider than the window, as on a phone; otherwise names the last that is. */
export async function assertFits(page: Page, about: string): Promise<void> {
  const [content, window] = (await page.evaluate(
    '[document.documentElement.scrollWidth, innerWidth]',
  )) as [number, number]
  if (content <= window) return
  const widest = await page.evaluate(`[...document.querySelectorAll('body *')]
    .filter((one) => one.getBoundingClientRect().right >= ${content - 1}).at(-1)?.outerHTML`)
  assert.fail(`${about}: ${content} in ${window}: ${String(widest).slice(0, 300)}`)
}
