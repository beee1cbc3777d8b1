import { currentContext } from '../../core/events/context.ts'
import { type Device, parseUserAgent } from './user-agent.ts'

export interface Origin {
  /** Epoch milliseconds. */
  readonly at: number
  readonly address: string | null
  readonly device: Device | null
}

/** @param at epoch milliseconds */
export function originNow(at: number): Origin {
  const { address, request } = currentContext()
  return { at, address, device: request && parseUserAgent(request.userAgent) }
}
