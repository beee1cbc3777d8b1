import type { FastifyRequest } from 'fastify'
import { parseUserAgent } from '../devices/user-agent.ts'

export const maxName = 64

/** Names the browser that makes the passkey. */
export function suggestedName({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const { browser, system } = parseUserAgent(headers['user-agent'] ?? null)
  return [browser, system].filter(Boolean).join(', ').slice(0, maxName) || 'Passkey'
}
