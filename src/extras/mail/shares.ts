import { type MessageName, messageTypes, type Purpose, purposes } from './message-types.ts'

/**
 * Splits MAIL_PER_MINUTE: each purpose reserves an eighth, so that a flood of sign-ups does not
 * delay resets. All purposes share the rest. A limit below one mail per purpose is not split.
 */
export function heldBack(sentByMessage: ReadonlyMap<string, number>, max: number): MessageName[] {
  const requests = Object.entries(messageTypes).flatMap(([name, type]) =>
    type.kind === 'request' ? [{ name: name as MessageName, purpose: type.purpose }] : [],
  )
  const sent = (purpose: Purpose) =>
    requests.reduce(
      (sum, one) => sum + (one.purpose === purpose ? (sentByMessage.get(one.name) ?? 0) : 0),
      0,
    )
  const own = max >= purposes.length ? Math.max(1, Math.floor(max / (2 * purposes.length))) : 0
  const total = purposes.reduce((sum, purpose) => sum + sent(purpose), 0)
  const unused = (purpose: Purpose) => Math.max(0, own - sent(purpose))
  const allUnused = purposes.reduce((sum, purpose) => sum + unused(purpose), 0)
  const isHeldBack = (purpose: Purpose) => unused(purpose) === 0 && total + allUnused >= max
  return requests.flatMap(({ name, purpose }) => (isHeldBack(purpose) ? [name] : []))
}
