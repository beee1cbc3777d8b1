import { currentContext } from '../../core/events/context.ts'
import { type Device, parseUserAgent } from './user-agent.ts'

/** When and from where something was asked for, or done: for its reader to judge. */
export interface Origin {
  /** Epoch milliseconds. */
  readonly at: number
  readonly address: string | null
  readonly device: Device | null
}

/** The origin of the request under way. @param at epoch milliseconds */
export function originNow(at: number): Origin {
  const { address, request } = currentContext()
  return { at, address, device: request && parseUserAgent(request.userAgent) }
}
