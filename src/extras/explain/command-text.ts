import { isIP } from 'node:net'
import { gatehouse } from '../../core/hints/command-line.ts'
import type { Reason } from '../../core/reasons/types.ts'

/** For example `used 5, attempts 5`; null if there are none. */
export function factsInWords(facts: Readonly<Record<string, unknown>>): string | null {
  const words = Object.entries(facts).map(([name, value]) => `${name} ${inWords(value)}`)
  return words.join(', ') || null
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.length > 0 ? value.join(' + ') : 'none'
  if (value === null) return '-'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

// Only names without shell metacharacters go into a command.
const plainName = /^[a-z0-9][a-z0-9._@-]*$/

/** Null if nothing is known. */
export function nextStepOf(
  { nextStep }: Pick<Reason, 'nextStep'>,
  username: string | null,
  address = '',
): string | null {
  if (nextStep === undefined) return null
  const step = nextStep.replaceAll('gatehouse ', `${gatehouse} `)
  const isPlain = username !== null && plainName.test(username)
  const named = isPlain ? step.replaceAll('NAME', username) : step
  return isIP(address) ? named.replace('--address IP', `--address ${address}`) : named
}

const retryMs = 250
const maxRetries = 6

/** The service writes within a second, so retry for 1.5 seconds, then return null. */
export async function readSoon<T>(
  read: () => Promise<T | null>,
  wait: (milliseconds: number) => Promise<unknown>,
): Promise<T | null> {
  for (let retries = 0; ; retries += 1) {
    const found = await read()
    if (found !== null || retries === maxRetries) return found
    await wait(retryMs)
  }
}
