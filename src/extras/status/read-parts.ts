import { DatabaseUnavailable } from '../../core/database/errors.ts'
import type { StatusPart } from '../../core/module/monitoring.ts'
import type { Needs } from '../../core/module/services.ts'

interface Unknown {
  readonly part: string
  readonly reason: 'database' | 'late' | 'fault'
}

/** Longer than a database timeout; the page retries. */
const maxMs = 5_000

/** A failed part is null and listed as unknown. */
export async function readParts(
  parts: readonly StatusPart[],
  needs: Needs,
): Promise<Record<string, unknown> & { readonly unknown: readonly Unknown[] }> {
  const { clock, log } = needs
  const unknown: Unknown[] = []
  const read = parts.map(async ({ name: part, read }) => {
    const reading = read(needs)
    const late = new AbortController()
    try {
      const value = await Promise.race([
        reading,
        clock.wait(maxMs, late.signal).then(() => tooLate),
      ])
      if (value !== tooLate) return [part, value] as const
      unknown.push({ part, reason: 'late' })
    } catch (error) {
      const isAway = error instanceof DatabaseUnavailable
      if (!isAway) log.error({ err: error, part }, 'a part of the status could not be read')
      unknown.push({ part, reason: isAway ? 'database' : 'fault' })
    } finally {
      late.abort()
      reading.catch(() => {})
    }
    return [part, null] as const
  })
  return { ...Object.fromEntries(await Promise.all(read)), unknown }
}

const tooLate = Symbol('too late')
