import { optional, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading } from '../../core/config/load.ts'
import { goodOr } from '../../core/config/load.ts'
import { rolesOf } from '../../core/config/roles.ts'
import type { OtherHosts } from '../../modules/sessions/settings.ts'
import { type ForwardReading, readForwardFile } from './forward-file.ts'

export const settings = {
  FORWARD_AUTH_FILE: optional({
    doc: 'A JSON file of rules: who may open which application behind a proxy that asks here (docs/forward-auth.md). Their hosts count as `REDIRECT_ORIGINS`. Every node needs it; a changed file is taken up within a second, one with mistakes is not.',
    parse: (value) => value,
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
  interface KeptFiles {
    readonly FORWARD_AUTH_FILE?: ForwardReading['rules']
  }
}

export function configure({ isMisread, kept, values }: Reading) {
  const { FORWARD_AUTH_FILE: file, TRUST_PROXY } = values
  const { mistakes, rules, warnings } = goodOr(
    // Mistakes of ROLES are reported anyway.
    readForwardFile(file, isMisread('ROLES') ? null : rolesOf(values), TRUST_PROXY ?? []),
    kept.FORWARD_AUTH_FILE && { rules: kept.FORWARD_AUTH_FILE, mistakes: [], warnings: [] },
  )
  const warning = 'FORWARD_AUTH_FILE: TRUST_PROXY names no proxy, and others are not answered'
  const hasProxies = file === undefined || Boolean(TRUST_PROXY?.length)
  const hosts = rules.flatMap((rule) => rule.hosts.map((host) => host.replace(/:\d+$/, '')))
  const otherHosts: OtherHosts = { 'forward-auth': hosts }
  return {
    config: { forwardAuth: { file, atStart: rules }, otherHosts },
    mistakes,
    warnings: hasProxies ? warnings : [...warnings, warning],
  }
}
