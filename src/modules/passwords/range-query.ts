import { hash } from 'node:crypto'
import type { Config } from '../../core/config/load.ts'
import type { Events } from '../../core/events/events.ts'
import type { Deps } from '../../core/runtime/deps.ts'
import { passwordBreachQueryFail } from './events.ts'

const prefixLength = 5
const timeoutMs = 1500
const maxAnswerBytes = 1_048_576

/** False if the breach service does not respond. */
export type BreachQuery = (password: string) => Promise<boolean>

export interface BreachQueryDeps extends Pick<Deps, 'fetch'> {
  readonly config: Pick<Config, 'password'>
  readonly events: Events
}

/**
 * The range API of Have I Been Pwned or a compatible service. Only five hex digits of the SHA-1
 * leave this process; padding hides the response size. On failure, the password is accepted with an
 * event. Off without PASSWORD_BREACH_URL.
 */
export function breachQuery({ config, events, fetch }: BreachQueryDeps): BreachQuery {
  const { breachUrl } = config.password
  if (breachUrl === undefined) return async () => false
  return async (password) => {
    const digest = hash('sha1', password.normalize('NFC')).toUpperCase()
    try {
      const response = await fetch(`${breachUrl}/${digest.slice(0, prefixLength)}`, {
        headers: { 'Add-Padding': 'true', 'User-Agent': 'gatehouse' },
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      })
      if (response.status !== 200) {
        await response.body?.cancel()
        throw new Error(`status ${response.status}`)
      }
      return isListed(await boundedText(response), digest.slice(prefixLength))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      events.emit(passwordBreachQueryFail, { reason })
      return false
    }
  }
}

/** Lines are `SUFFIX:COUNT`; padding has count 0. */
function isListed(answer: string, suffix: string): boolean {
  return answer.split(/\r?\n/).some((line) => {
    const [found = '', count = ''] = line.trim().split(':')
    return found.toUpperCase() === suffix && /^[0-9]*[1-9][0-9]*$/.test(count)
  })
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxAnswerBytes) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('latin1')
}
