import type { Check } from '../../core/checks/check.ts'
import type { ModuleChecks, OfflineContext } from '../../core/checks/context.ts'

const issuer: Check<OfflineContext> = {
  id: 'issuer',
  level: 'warning',
  passMessage: 'the issuer of tokens is BASE_URL',
  why: {
    en: 'Services that verify tokens compare iss letter by letter, and many look for the keys below the issuer.',
    de: 'Dienste, die Token prüfen, vergleichen iss Zeichen für Zeichen, und viele suchen die Schlüssel unterhalb des Ausstellers.',
  },
  mend: {
    do: {
      en: 'Leave TOKEN_ISSUER out, or set it to BASE_URL; tokens of the issuer before are refused then.',
      de: 'Lassen Sie TOKEN_ISSUER weg, oder setzen Sie es auf BASE_URL; Token des bisherigen Ausstellers werden dann abgelehnt.',
    },
  },
  find({ config: { baseUrl: base, token } }) {
    if (token.issuer === base) return []
    const setting = `TOKEN_ISSUER=${base}`
    const isSpelling =
      URL.canParse(token.issuer) &&
      new URL(token.issuer).origin === base &&
      new URL(token.issuer).pathname === '/'
    const what = isSpelling
      ? {
          en: `TOKEN_ISSUER is ${token.issuer}, and BASE_URL ${base}: the same place, spelled in two ways.`,
          de: `TOKEN_ISSUER ist ${token.issuer} und BASE_URL ${base}: derselbe Ort in zwei Schreibweisen.`,
        }
      : {
          en: `TOKEN_ISSUER is ${token.issuer}, and callers use ${base}.`,
          de: `TOKEN_ISSUER ist ${token.issuer}, und Aufrufer benutzen ${base}.`,
        }
    return [{ what, mend: { setting } }]
  },
}

export const checks: ModuleChecks = { offline: [issuer] }
