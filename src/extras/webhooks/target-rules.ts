import { isLoopback } from '../../core/addresses/loopback.ts'
import type { Config } from '../../core/config/load.ts'
import { OutboundError } from '../../core/outbound/outbound-error.ts'
import { checkedUrl, hostOf, mayReach, type OutboundRules } from '../../core/outbound/target.ts'

/** Which addresses webhooks may reach: public ones, listed ones, and outside production this machine. */
export function outboundRules(config: Pick<Config, 'environment' | 'webhooks'>): OutboundRules {
  const { addresses } = config.webhooks
  return { addresses, allowsLoopback: config.environment !== 'production' }
}

/**
 * Says why nothing is sent to an address, by what is known without a lookup; null: it may be. What
 * its name leads to is judged at each connection, because that changes.
 */
export function targetRefusal(text: string, rules: OutboundRules): string | null {
  try {
    const host = hostOf(checkedUrl(text, rules))
    const isHere = isLoopback(host) && !['127.0.0.1', '::1'].some((one) => mayReach(one, rules))
    return isHere ? `${host} is this machine, which is not allowed` : null
  } catch (error) {
    if (error instanceof OutboundError) return error.message
    throw error
  }
}
