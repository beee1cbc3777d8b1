import { isOurs, noRoute } from '../../../core/checks/answers.ts'
import type { Check } from '../../../core/checks/check.ts'
import type { OutsideContext } from '../../../core/checks/context.ts'
import type { Answer, Probe } from '../../../core/checks/probe.ts'
import { OutboundError } from '../../../core/outbound/outbound-error.ts'

// BODY_LIMIT_BYTES.
const defaultLimit = 1_048_576
const maxSentBytes = 4_194_304
// Accepted by every route with a body.
const smallLimit = 16_000

const bodyLimit: Check<OutsideContext> = {
  id: 'body_limit',
  level: 'warning',
  passMessage: 'the proxy takes bodies that the service takes',
  why: {
    en: 'A larger body is refused by the proxy, in a form that clients of the API do not know.',
    de: 'Einen größeren Inhalt lehnt der Proxy ab, in einer Form, die Clients der API nicht kennen.',
  },
  mend: {
    do: {
      en: 'Let the limit of the service decide: BODY_LIMIT_BYTES, and none for imports.',
      de: 'Lassen Sie die Grenze des Dienstes entscheiden: BODY_LIMIT_BYTES, und keine für Importe.',
    },
  },
  async find({ inside, probe }) {
    const limit = Math.min(inside?.config.http.bodyLimitBytes ?? defaultLimit, maxSentBytes)
    const mend = {
      nginx: `client_max_body_size ${Math.ceil(limit / 1024) + 1}k;   # or 0, for imports`,
      caddy: `request_body { max_size ${Math.ceil(limit / 1024) + 1}KiB }   # or none`,
    }
    // A buffering proxy checks the length first. With a streaming proxy, only lengths that the
    // service reads can be tested.
    const tried = [
      { path: noRoute, bytes: limit },
      { path: '/api/public/verification', bytes: smallLimit },
    ]
    for (const { path, bytes } of tried) {
      const answer = await refusedBody(probe, path, bytes)
      // Caddy 2.6 sends 502.
      if (!answer || isOurs(answer) || (answer.status !== 413 && answer.status < 500)) continue
      return [
        {
          what: {
            en: `A body of ${bytes} bytes is refused by the proxy (${answer.status}).`,
            de: `Ein Inhalt von ${bytes} Bytes wird vom Proxy abgelehnt (${answer.status}).`,
          },
          mend,
        },
      ]
    }
    return []
  },
}

/** Null if the connection closed early. */
async function refusedBody(probe: Probe, path: string, bytes: number): Promise<Answer | null> {
  const headers = { 'content-type': 'application/json' }
  try {
    return await probe.send(path, { method: 'POST', headers, body: '{}'.padEnd(bytes) })
  } catch (error) {
    if (error instanceof OutboundError && error.fault !== 'timed_out') return null
    throw error
  }
}

export const bodyLimitChecks: readonly Check<OutsideContext>[] = [bodyLimit]
