import { parseUserAgent } from '../../../src/modules/devices/user-agent.ts'

/** The browser and the system of a User-Agent, whose full text is its title. */
export function DeviceName({
  userAgent,
  unknown,
}: {
  readonly userAgent: string
  readonly unknown: string
}) {
  const { browser, system } = parseUserAgent(userAgent)
  const names = [browser, system].filter((name) => name !== null)
  return <span title={userAgent}>{names.length === 0 ? unknown : names.join(', ')}</span>
}
