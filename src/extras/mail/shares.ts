import { type MessageName, messageTypes, type Purpose, purposes } from './message-types.ts'

/**
 * Divides MAIL_PER_MINUTE among the purposes of mail that anyone may cause. Each purpose has room of
 * its own, an eighth of the limit, which no other purpose uses: a flood of sign-ups delays no reset.
 * The rest is for all purposes. A limit below one mail for each purpose is not divided.
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
