import type { LineOutput, PrimaryLog } from './log.ts'
import { killAll, type Running, runningOf, type Slot } from './slot.ts'

/** Longer than a worker's drain of ten seconds. */
const stopMs = 11_000
// Repeats within this time are ignored: see `drainOnSignal`.
const sameSignalMs = 2_000

export interface StoppingPrimary {
  isStopping(): boolean
  /** Workers drain. A second signal ends all without finishing pending work. */
  stop(signal: NodeJS.Signals): void
  /** Ends all at once. */
  end(exitCode: number): never
  /** A worker has ended while all are stopping. */
  ended(running: Running, code: number | null): void
}

interface StoppingDeps {
  readonly slots: readonly Slot[]
  readonly output: Pick<LineOutput, 'flush'>
  readonly log: PrimaryLog['log']
  /** No further worker will listen. */
  readonly noneWillListen: () => void
}

export function createStopping({
  slots,
  output,
  log,
  noneWillListen,
}: StoppingDeps): StoppingPrimary {
  let signalledAt: number | undefined
  let exitCode = 0

  return {
    isStopping: () => signalledAt !== undefined,

    stop(signal) {
      const now = performance.now()
      if (signalledAt !== undefined) {
        if (now - signalledAt > sameSignalMs) abandon()
        return
      }
      signalledAt = now
      log('info', { signal }, 'stopping: accepted requests are answered first')
      setTimeout(abandon, stopMs).unref()
      for (const { timer } of slots) clearTimeout(timer)
      for (const running of runningOf(slots)) stopWorker(running)
      noneWillListen()
      leaveAfterLast()
    },

    end(code) {
      exitCode = code
      killAll(slots)
      return leave()
    },

    ended({ isCut }, code) {
      exitCode = Math.max(exitCode, code ?? (isCut ? 0 : 1))
      leaveAfterLast()
    },
  }

  function leaveAfterLast(): void {
    if (runningOf(slots).length === 0) leave()
  }

  function leave(): never {
    if (exitCode === 0) log('info', { workers: slots.length }, 'all workers have stopped')
    output.flush()
    process.exit(exitCode)
  }

  /** Without finishing pending work. */
  function abandon(): never {
    killAll(slots)
    process.exit(1)
  }
}

function stopWorker(running: Running): void {
  if (running.isListening) {
    void running.peer.ask('stop')
    return
  }
  running.isCut = true
  running.worker.process.kill('SIGKILL')
}
