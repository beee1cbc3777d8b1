import type { Texts } from '../../languages/languages.ts'

/** A device in words. */
export function deviceOf(
  { browser, system }: { readonly browser: string | null; readonly system: string | null },
  t: Texts['account'],
): string {
  if (browser !== null && system !== null) return t.deviceOf(browser, system)
  return browser ?? system ?? t.unknownDevice
}
