import { isLoopback } from '../../core/addresses/loopback.ts'
import type { Check } from '../../core/checks/check.ts'
import type { ModuleChecks, OfflineContext } from '../../core/checks/context.ts'
import type { Config } from '../../core/config/load.ts'

const prefix = '__Host-'
const maxNamed = 3

const sessionCookie: Check<OfflineContext> = {
  id: 'session_cookie',
  level: 'warning',
  passMessage:
    'where other hosts share the domain, the name of the session cookie begins with __Host-',
  why: {
    en: 'Another host of the same domain can set a cookie of this name for this host, and so sign a person in to an account of its choice, or out. A browser accepts a __Host- cookie only from the host itself.',
    de: 'Ein anderer Host derselben Domain kann ein Cookie dieses Namens für diesen Host setzen und eine Person so an einem Konto seiner Wahl anmelden oder sie abmelden. Ein Cookie mit __Host- nimmt ein Browser nur vom Host selbst an.',
  },
  mend: {
    do: {
      en: 'Give the cookie such a name. Sessions end once, and scripts that name JSESSIONID need the new name.',
      de: 'Geben Sie dem Cookie einen solchen Namen. Die Sitzungen enden dabei einmal, und Skripte, die JSESSIONID nennen, brauchen den neuen Namen.',
    },
    setting: `SESSION_COOKIE_NAME=${prefix}JSESSIONID`,
  },
  find({ config }) {
    const { hostname, protocol } = new URL(config.baseUrl)
    const { cookieName } = config.session
    // Browsers accept a cookie with the prefix over https only.
    if (cookieName.startsWith(prefix) || protocol !== 'https:' || isLoopback(hostname)) return []
    const hosts = [...new Set(knownHosts(config))].filter((host) => isSibling(host, hostname))
    if (hosts.length === 0) return []
    const named = hosts.slice(0, maxNamed).join(', ')
    const isMore = hosts.length > maxNamed
    const what = {
      en: `The session cookie is named ${cookieName}, and ${hostname} shares its domain with ${named}${isMore ? ' and others' : ''}.`,
      de: `Das Sitzungs-Cookie heißt ${cookieName}, und ${hostname} teilt seine Domain mit ${named}${isMore ? ' und anderen' : ''}.`,
    }
    return [{ what }]
  },
}

function knownHosts({ http, otherHosts, pages }: Config): string[] {
  const origins = [...http.corsOrigins, ...pages.redirectOrigins].filter((one) => URL.canParse(one))
  return [...Object.values(otherHosts).flat(), ...origins.map((origin) => new URL(origin).hostname)]
}

/** Whether a cookie of one host can be set for the other: they share a domain of two labels. */
function isSibling(host: string, own: string): boolean {
  const domain = own.split('.').slice(-2).join('.')
  return host !== own && domain.includes('.') && (host === domain || host.endsWith(`.${domain}`))
}

export const checks: ModuleChecks = { offline: [sessionCookie] }
