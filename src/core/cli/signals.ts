import { exitCodes } from './command.ts'

const exits = { SIGINT: exitCodes.interrupted, SIGTERM: exitCodes.terminated } as const

/** Takes over a first signal in place of the exit; undefined: the process exits. */
let stop: (() => void) | undefined

/**
 * Exits on a signal, unless a command has asked for it by `untilSignal`. The database rolls back, and
 * handlers of the event `exit` delete partial files.
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

/** Aborts at the first signal, for a command that goes on until then; a second one exits. */
export function untilSignal(): AbortSignal {
  const controller = new AbortController()
  stop = () => controller.abort()
  return controller.signal
}
