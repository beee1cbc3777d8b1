import { setImmediate, setTimeout } from 'node:timers/promises'

/** Resolves when the condition holds; the clock of the test does not move. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let turns = 0; turns < 20_000; turns += 1) {
    if (await condition()) return
    if (turns < 50) await setImmediate()
    // biome-ignore lint/plugin: other processes need processor time as well
    else await setTimeout(2)
  }
  throw new Error('it never came')
}
