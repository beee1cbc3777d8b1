import { writeSync } from 'node:fs'
import { isoTime, systemClock } from '../lib/clock.ts'
import { systemCode } from '../reason.ts'

export interface LineOutput {
  write(text: string | Uint8Array): void
  /** Gives up after a second. */
  flush(): void
}

// As in createLog: more is dropped.
const maxUnwrittenBytes = 1_048_576
const retryMs = 100
const busyMs = 5
const lastTries = 200

/**
 * Only the primary writes the log: lines longer than the pipe buffer would mix. Without pino, which
 * needs 8 MB.
 */
export function lineOutput(file = 1): LineOutput {
  let unwritten = Buffer.alloc(0)
  let timer: NodeJS.Timeout | undefined

  return {
    write(text) {
      const bytes = Buffer.from(text as string)
      if (unwritten.length + bytes.length > maxUnwrittenBytes) return
      unwritten = unwritten.length === 0 ? bytes : Buffer.concat([unwritten, bytes])
      if (!timer) send()
    },
    flush() {
      for (let tries = 0; unwritten.length > 0 && tries < lastTries; tries += 1) {
        clearTimeout(timer)
        send()
        if (unwritten.length > 0) pause()
      }
    },
  }

  function send(): void {
    timer = undefined
    try {
      while (unwritten.length > 0) unwritten = unwritten.subarray(writeSome(file, unwritten))
    } catch {
      timer = setTimeout(send, retryMs).unref() // a full disk
    }
  }
}

/** Returns 0, after a pause, if the reader is slow. */
function writeSome(file: number, bytes: Buffer): number {
  try {
    return writeSync(file, bytes)
  } catch (error) {
    if (systemCode(error) !== 'EAGAIN') throw error
    pause() // like a blocking write
    return 0
  }
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyMs)
}

/** Drops the unfinished line of a killed process. */
export function wholeLines(write: (lines: Uint8Array) => void): (piece: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (piece) => {
    const end = piece.lastIndexOf(0x0a) + 1
    if (end === 0) {
      rest = Buffer.concat([rest, piece])
      return
    }
    write(Buffer.concat([rest, piece.subarray(0, end)]))
    rest = Buffer.from(piece.subarray(end))
  }
}

const levels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const
type Level = 'fatal' | 'error' | 'warn' | 'info'

/** Same format as `createLog`. */
export interface PrimaryLog {
  log(level: Level, fields: Readonly<Record<string, unknown>>, message: string): void
  /** Between `debug` and LOG_LEVEL; returns the new level. */
  toggle(): string
}

export function primaryLog(
  output: Pick<LineOutput, 'write'>,
  logLevel: string | undefined,
): PrimaryLog {
  const configured = (logLevel || 'info') as (typeof levels)[number]
  let level = configured
  return {
    toggle() {
      level = level === 'debug' ? configured : 'debug'
      return level
    },
    log(at, fields, msg) {
      if (levels.indexOf(at) > levels.indexOf(level)) return
      const line = { level: at, time: isoTime(systemClock.now()), ...fields, msg }
      output.write(`${JSON.stringify(line)}\n`)
    },
  }
}
