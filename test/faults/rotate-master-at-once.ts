import { main } from '../../src/cli/run.ts'
import { modules } from '../../src/modules.ts'

// `gatehouse keys rotate-master` with a clock whose waits end at once: it asks, and no process is there.
let now = Date.now()
const clock = {
  now: () => now,
  async wait(milliseconds: number) {
    now += Math.max(milliseconds, 1500)
  },
}
const { stdin, stdout, stderr, env } = process
process.exitCode = await main(
  ['keys', 'rotate-master', '--json'],
  { stdin, stdout, stderr, env, clock },
  modules,
)
