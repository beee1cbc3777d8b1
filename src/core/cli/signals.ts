import { exitCodes } from './command.ts'

const exits = { SIGINT: exitCodes.interrupted, SIGTERM: exitCodes.terminated } as const

/** Handles the first signal; undefined: exit. */
let stop: (() => void) | undefined

/**
 * The database rolls back, and `exit` handlers delete partial files. `untilSignal` overrides the
 * first signal.
 */
export function exitOnSignal(process: NodeJS.Process): void {
  for (const [signal, { code }] of Object.entries(exits)) {
    process.on(signal, () => {
      const stopNow = stop
      stop = undefined
      if (stopNow) return stopNow()
      process.stderr.write(`broken off by ${signal}\n`)
      process.exit(code)
    })
  }
}

/** Aborts at the first signal; the second signal exits. */
export function untilSignal(): AbortSignal {
  const controller = new AbortController()
  stop = () => controller.abort()
  return controller.signal
}
