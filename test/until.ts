import { setImmediate, setTimeout } from 'node:timers/promises'

/** Resolves once the condition holds, without any time passing on the clock of the test. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let turns = 0; turns < 20_000; turns += 1) {
    if (await condition()) return
    if (turns < 50) await setImmediate()
    else await setTimeout(2) // what another process does comes no sooner by asking without a pause
  }
  throw new Error('it never came')
}
