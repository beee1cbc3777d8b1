import type { Clock } from '../../core/lib/clock.ts'
import { OutboundError } from '../../core/outbound/outbound-error.ts'
import { type Check, type Finding, findingOf, runCheck } from './check.ts'
import { answerChecks } from './checks/answers.ts'
import { bodyLimitChecks } from './checks/body-limit.ts'
import { clientAddressChecks, isOwnService } from './checks/client-address.ts'
import { crossOriginChecks } from './checks/cross-origin.ts'
import { exposureChecks } from './checks/exposure.ts'
import { jwksChecks } from './checks/jwks.ts'
import { passingChecks } from './checks/passing.ts'
import { arrivalChecks, reachable } from './checks/reachable.ts'
import { tlsChecks } from './checks/tls.ts'
import type { OutsideContext } from './context.ts'
import { type PeerCertificate, peerCertificate } from './peer-certificate.ts'
import { createProbe, type TargetOptions, targetOf } from './probe.ts'

/** In the order of the report. What comes after `arrivalChecks` is asked of Gatehouse alone. */
export const outsideChecks: readonly Check<OutsideContext>[] = [
  reachable,
  ...tlsChecks,
  ...arrivalChecks,
  ...clientAddressChecks,
  ...answerChecks,
  ...crossOriginChecks,
  ...exposureChecks,
  ...jwksChecks,
  ...passingChecks,
  ...bodyLimitChecks,
]

const beforeService: ReadonlySet<Check<OutsideContext>> = new Set([...tlsChecks, ...arrivalChecks])
const arrival: ReadonlySet<string> = new Set(arrivalChecks.map(({ id }) => id))

export interface OutsideOptions extends TargetOptions {
  readonly url: string
  readonly clock: Clock
  readonly inside: OutsideContext['inside']
  /** PEM, an authority of the operator beside those of Node. */
  readonly ca?: string
}

/**
 * Makes the outside checks, one request after the other, so that no limit of requests is reached.
 * If another host than Gatehouse answers, that is the finding, and no more is asked of it.
 */
export async function examineOutside({
  url,
  clock,
  inside,
  ca,
  ...options
}: OutsideOptions): Promise<{ findings: Finding[]; checks: number }> {
  let context: OutsideContext
  try {
    const target = await targetOf(url, options)
    let certificate: Promise<PeerCertificate> | undefined
    context = {
      origin: target.origin,
      probe: createProbe(target),
      clock,
      inside,
      certificate() {
        certificate ??= peerCertificate(target, ca)
        return certificate
      },
    }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { findings: [findingOf(reachable, { what: `${error.message}.` })], checks: 1 }
  }
  const findings: Finding[] = []
  let checks = 0
  for (const check of outsideChecks) {
    const isService = !findings.some(({ check: id, level }) => arrival.has(id) && level === 'error')
    if (!isService && (!beforeService.has(check) || arrival.has(check.id))) continue
    if (findings.some(({ check: id }) => id === reachable.id)) break
    // What these settings say of another service would be a false alarm.
    if (check === clientAddressChecks[0] && context.inside && !(await isOwnService(context))) {
      context = { ...context, inside: null }
    }
    findings.push(...(await runCheck(check, context)))
    checks += 1
  }
  return { findings, checks }
}
