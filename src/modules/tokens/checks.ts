import type { Check } from '../../core/checks/check.ts'
import type { ModuleChecks, OfflineContext } from '../../core/checks/context.ts'

const issuer: Check<OfflineContext> = {
  id: 'issuer',
  level: 'warning',
  passMessage: 'the issuer of tokens is BASE_URL',
  why: 'Services that verify tokens compare iss letter by letter, and many look for the keys below the issuer.',
  mend: {
    do: 'Leave TOKEN_ISSUER out, or set it to BASE_URL; tokens of the issuer before are refused then.',
  },
  find({ config: { baseUrl: base, token } }) {
    if (token.issuer === base) return []
    const setting = `TOKEN_ISSUER=${base}`
    const isSpelling =
      URL.canParse(token.issuer) &&
      new URL(token.issuer).origin === base &&
      new URL(token.issuer).pathname === '/'
    const what = isSpelling
      ? `TOKEN_ISSUER is ${token.issuer}, and BASE_URL ${base}: the same place, spelled in two ways.`
      : `TOKEN_ISSUER is ${token.issuer}, and callers use ${base}.`
    return [{ what, mend: { setting } }]
  },
}

export const checks: ModuleChecks = { offline: [issuer] }
