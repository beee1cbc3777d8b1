/** Real time: what happens to a process of its own does not wait for a test's clock. */
export function waitMs(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/** Resolves to how many milliseconds it took until the condition held. @throws Error after `patienceMs` */
export async function waitUntil(
  what: string,
  condition: () => boolean | Promise<boolean>,
  { patienceMs = 30_000, everyMs = 10 } = {},
): Promise<number> {
  const start = performance.now()
  while (!(await condition())) {
    if (performance.now() - start > patienceMs) throw new Error(`it never came: ${what}`)
    await waitMs(everyMs)
  }
  return performance.now() - start
}
