import { readFileSync } from 'node:fs'

/**
 * Loaded into the service before its own code: moves its clock to what the file CLOCK_FILE says, in
 * milliseconds from now, at each SIGUSR2, and tells so.
 */
const { now } = Date
let aheadMs = 0
Date.now = () => now() + aheadMs
process.on('SIGUSR2', () => {
  aheadMs = Number(readFileSync(process.env.CLOCK_FILE ?? '', 'utf8'))
  process.stdout.write(`clock ${aheadMs}\n`)
})
