import type { OutsideContext } from '../../core/checks/context.ts'
import { type PeerCertificate, peerCertificate } from '../../core/checks/peer-certificate.ts'
import { createProbe, type TargetOptions, targetOf } from '../../core/checks/probe.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Module } from '../../core/module/module.ts'
import { OutboundError } from '../../core/outbound/outbound-error.ts'
import { loadChecks } from './all-checks.ts'
import { arrivalChecks, reachable } from './checks/reachable.ts'
import { type Finding, findingOf, runCheck } from './finding.ts'

export interface OutsideOptions extends TargetOptions {
  readonly url: string
  readonly clock: Clock
  readonly inside: OutsideContext['inside']
  readonly modules: readonly Module[]
  /** PEM, in addition to Node's authorities. */
  readonly ca?: string
}

/**
 * Sends requests sequentially, below rate limits. If another host answers, stops with a finding.
 */
export async function examineOutside({
  url,
  clock,
  inside,
  modules,
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
    return {
      findings: [
        findingOf(reachable, { what: { en: `${error.message}.`, de: `${error.message}.` } }),
      ],
      checks: 1,
    }
  }
  const { arrival, outside, isOwnService } = await loadChecks(modules)
  const findings: Finding[] = []
  const arrivalIds = new Set(arrivalChecks.map(({ id }) => id))
  const isEnded = ({ check, level }: Finding) =>
    check === reachable.id || (arrivalIds.has(check) && level === 'error')
  let checks = 0
  for (const check of arrival) {
    findings.push(...(await runCheck(check, context)))
    checks += 1
    if (findings.some(isEnded)) return { findings, checks }
  }
  // These settings would cause false alarms for another service.
  if (context.inside && !(await isOwnService(context))) context = { ...context, inside: null }
  for (const check of outside) findings.push(...(await runCheck(check, context)))
  return { findings, checks: checks + outside.length }
}
