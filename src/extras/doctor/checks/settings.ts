import { isLoopback } from '../../../core/addresses/loopback.ts'
import type { Check, Found } from '../../../core/checks/check.ts'
import { isPublic, type OfflineContext } from '../../../core/checks/context.ts'
import { gatehouse } from '../../../core/hints/command-line.ts'

const environment: Check<OfflineContext> = {
  id: 'environment',
  level: 'error',
  passMessage: 'NODE_ENV is production',
  why: 'Outside production unsafe settings are accepted, a 500 shows its failure text, and all mail can be read at /dev/mail.',
  mend: {
    do: 'Set it; the start then says what else is not fit for production.',
    setting: 'NODE_ENV=production',
  },
  find({ config }) {
    if (config.environment === 'production') return []
    const what = `NODE_ENV is ${config.environment}`
    if (isPublic(config)) return [{ what: `${what}, and other machines reach this service.` }]
    return [{ what: `${what}: right for development on this machine alone.`, level: 'info' }]
  },
}

const corsOrigins: Check<OfflineContext> = {
  id: 'cors_origins',
  level: 'error',
  passMessage: 'CORS_ORIGINS names exact origins of https',
  why: 'A page of an allowed origin acts as the person who has it open; a page over http can be changed by anyone on the way.',
  mend: {
    do: 'Name the origins of your own pages, and no others.',
    setting: 'CORS_ORIGINS=https://app.example.org',
  },
  find({ config }) {
    return config.http.corsOrigins.flatMap((origin): Found[] => {
      if (origin === '*') {
        const level = isPublic(config) ? 'error' : 'warning'
        return [{ what: 'CORS_ORIGINS is *: any page of the web is allowed.', level }]
      }
      const { protocol, hostname } = new URL(origin)
      if (protocol === 'https:' || isLoopback(hostname)) {
        const isLeft = isLoopback(hostname) && config.environment === 'production'
        if (!isLeft || !isPublic(config)) return []
        const what = `CORS_ORIGINS allows ${origin} in production: any program of a person's machine can serve that page.`
        return [{ what, level: 'info' }]
      }
      return [{ what: `CORS_ORIGINS allows ${origin}, a page without TLS.`, level: 'warning' }]
    })
  },
}

const logLevel: Check<OfflineContext> = {
  id: 'log_level',
  level: 'warning',
  passMessage: 'the log has security events, and not each request',
  why: 'The log is where a failed login or a lock is seen at once; above info it has none of them.',
  mend: { do: 'Set the default.', setting: 'LOG_LEVEL=info' },
  find({ config: { environment: env, logLevel: level } }) {
    if (['silent', 'fatal', 'error', 'warn'].includes(level)) {
      return env === 'production' ? [{ what: `LOG_LEVEL is ${level}.` }] : []
    }
    return []
  },
}

const baseUrl: Check<OfflineContext> = {
  id: 'base_url',
  level: 'error',
  passMessage: 'BASE_URL is the address that callers use',
  why: 'Links in mail, redirects, the issuer of tokens and the protection of forms go by BASE_URL.',
  mend: {
    do: 'Set it to the address in the browser of a person.',
    setting: 'BASE_URL=https://auth.example.org',
  },
  find({ config }) {
    const { hostname } = new URL(config.baseUrl)
    if (config.environment !== 'production' || !isLoopback(hostname)) return []
    if (isLoopback(config.http.host)) return []
    return [{ what: `BASE_URL is ${config.baseUrl}, which leads each caller to its own machine.` }]
  },
}

/** @param covered settings with a better check */
export const settingWarning = (covered: ReadonlySet<string>): Check<OfflineContext> => ({
  id: 'setting_warning',
  level: 'warning',
  passMessage: 'the settings give no warning',
  why: 'The service starts with such a setting, and is weaker for it.',
  mend: {
    do: 'docs/configuration.md says what the setting does.',
    setting: `${gatehouse} config check`,
  },
  find({ config }) {
    return config.warnings
      .filter((warning) => !covered.has(warning.split(' ', 1)[0] ?? ''))
      .map((warning): Found => {
        const [, file] = /_FILE: (.*) can be read by other users/.exec(warning) ?? []
        if (file !== undefined) {
          const mend = { do: 'Take the right away, and consider what it holds known.' }
          return { what: `${warning}.`, mend: { ...mend, setting: `chmod 600 ${file}` } }
        }
        const former = /^(\w+): the setting is now (\w+);/.exec(warning)
        if (former) {
          const [, old, present] = former
          const mend = { do: `Rename ${old} to ${present}.` }
          return { what: `${warning}.`, level: 'info', mend }
        }
        // The database network may be local to the machine.
        const isLocal = warning.startsWith('DATABASE_URL')
        return { what: `${warning}.`, ...(isLocal && { level: 'info' }) }
      })
  },
})

export const settingChecks: readonly Check<OfflineContext>[] = [
  environment,
  corsOrigins,
  logLevel,
  baseUrl,
]
