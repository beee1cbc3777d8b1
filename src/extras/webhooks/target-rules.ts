import { isLoopback } from '../../core/addresses/loopback.ts'
import type { Config } from '../../core/config/load.ts'
import { OutboundError } from '../../core/outbound/outbound-error.ts'
import { checkedUrl, hostOf, mayReach, type OutboundRules } from '../../core/outbound/target.ts'

/** Public and listed addresses; outside production also this machine. */
export function outboundRules(config: Pick<Config, 'environment' | 'webhooks'>): OutboundRules {
  const { addresses } = config.webhooks
  return { addresses, allowsLoopback: config.environment !== 'production' }
}

/** Null if allowed without DNS. DNS results are checked at each connection, because they change. */
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
