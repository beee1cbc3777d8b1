import { isLoopback } from '../../../core/addresses/loopback.ts'
import type { Check, Found } from '../../../core/checks/check.ts'
import { isPublic, type OfflineContext } from '../../../core/checks/context.ts'
import { gatehouse } from '../../../core/hints/command-line.ts'
import type { Words } from '../../../core/lib/languages.ts'

const environment: Check<OfflineContext> = {
  id: 'environment',
  level: 'error',
  passMessage: 'NODE_ENV is production',
  why: {
    en: 'Outside production unsafe settings are accepted, a 500 shows its failure text, and all mail can be read at /dev/mail.',
    de: 'Außerhalb des Produktivbetriebs werden unsichere Einstellungen angenommen, ein 500 zeigt den Text des Fehlers, und alle E-Mails sind unter /dev/mail lesbar.',
  },
  mend: {
    do: {
      en: 'Set it; the start then says what else is not fit for production.',
      de: 'Setzen Sie es; der Start nennt dann, was sonst nicht zum Produktivbetrieb passt.',
    },
    setting: 'NODE_ENV=production',
  },
  find({ config }) {
    if (config.environment === 'production') return []
    if (isPublic(config))
      return [
        {
          what: {
            en: `NODE_ENV is ${config.environment}, and other machines reach this service.`,
            de: `NODE_ENV ist ${config.environment}, und andere Rechner erreichen diesen Dienst.`,
          },
        },
      ]
    return [
      {
        what: {
          en: `NODE_ENV is ${config.environment}: right for development on this machine alone.`,
          de: `NODE_ENV ist ${config.environment}: richtig für die Entwicklung nur auf diesem Rechner.`,
        },
        level: 'info',
      },
    ]
  },
}

const corsOrigins: Check<OfflineContext> = {
  id: 'cors_origins',
  level: 'error',
  passMessage: 'CORS_ORIGINS names exact origins of https',
  why: {
    en: 'A page of an allowed origin acts as the person who has it open; a page over http can be changed by anyone on the way.',
    de: 'Eine Seite eines erlaubten Ursprungs handelt als die Person, die sie offen hat; eine Seite über http kann jeder auf dem Weg ändern.',
  },
  mend: {
    do: {
      en: 'Name the origins of your own pages, and no others.',
      de: 'Nennen Sie die Ursprünge Ihrer eigenen Seiten und keine anderen.',
    },
    setting: 'CORS_ORIGINS=https://app.example.org',
  },
  find({ config }) {
    return config.http.corsOrigins.flatMap((origin): Found[] => {
      if (origin === '*') {
        const level = isPublic(config) ? 'error' : 'warning'
        return [
          {
            what: {
              en: 'CORS_ORIGINS is *: any page of the web is allowed.',
              de: 'CORS_ORIGINS ist *: Jede Seite des Webs ist erlaubt.',
            },
            level,
          },
        ]
      }
      const { protocol, hostname } = new URL(origin)
      if (protocol === 'https:' || isLoopback(hostname)) {
        const isLeft = isLoopback(hostname) && config.environment === 'production'
        if (!isLeft || !isPublic(config)) return []
        const what = {
          en: `CORS_ORIGINS allows ${origin} in production: any program of a person's machine can serve that page.`,
          de: `CORS_ORIGINS erlaubt ${origin} im Produktivbetrieb: Jedes Programm auf dem Rechner einer Person kann diese Seite ausliefern.`,
        }
        return [{ what, level: 'info' }]
      }
      return [
        {
          what: {
            en: `CORS_ORIGINS allows ${origin}, a page without TLS.`,
            de: `CORS_ORIGINS erlaubt ${origin}, eine Seite ohne TLS.`,
          },
          level: 'warning',
        },
      ]
    })
  },
}

const logLevel: Check<OfflineContext> = {
  id: 'log_level',
  level: 'warning',
  passMessage: 'the log has security events, and not each request',
  why: {
    en: 'The log is where a failed login or a lock is seen at once; above info it has none of them.',
    de: 'Im Log sieht man eine fehlgeschlagene Anmeldung oder eine Sperre sofort; oberhalb von info stehen sie nicht darin.',
  },
  mend: {
    do: { en: 'Set the default.', de: 'Setzen Sie den Standardwert.' },
    setting: 'LOG_LEVEL=info',
  },
  find({ config: { environment: env, logLevel: level } }) {
    if (['silent', 'fatal', 'error', 'warn'].includes(level)) {
      return env === 'production'
        ? [{ what: { en: `LOG_LEVEL is ${level}.`, de: `LOG_LEVEL ist ${level}.` } }]
        : []
    }
    return []
  },
}

const baseUrl: Check<OfflineContext> = {
  id: 'base_url',
  level: 'error',
  passMessage: 'BASE_URL is the address that callers use',
  why: {
    en: 'Links in mail, redirects, the issuer of tokens and the protection of forms go by BASE_URL.',
    de: 'Links in E-Mails, Weiterleitungen, der Aussteller der Token und der Schutz der Formulare richten sich nach BASE_URL.',
  },
  mend: {
    do: {
      en: 'Set it to the address in the browser of a person.',
      de: 'Setzen Sie sie auf die Adresse, die eine Person im Browser sieht.',
    },
    setting: 'BASE_URL=https://auth.example.org',
  },
  find({ config }) {
    const { hostname } = new URL(config.baseUrl)
    if (config.environment !== 'production' || !isLoopback(hostname)) return []
    if (isLoopback(config.http.host)) return []
    return [
      {
        what: {
          en: `BASE_URL is ${config.baseUrl}, which leads each caller to its own machine.`,
          de: `BASE_URL ist ${config.baseUrl}, was jeden Aufrufer zu seinem eigenen Rechner führt.`,
        },
      },
    ]
  },
}

/** Warnings are lines of the log, which is English. */
function inWords(warning: string): Words {
  return { en: `${warning}.`, de: `Warnung beim Start: ${warning}.` }
}

/** @param covered settings with a better check */
export const settingWarning = (covered: ReadonlySet<string>): Check<OfflineContext> => ({
  id: 'setting_warning',
  level: 'warning',
  passMessage: 'the settings give no warning',
  why: {
    en: 'The service starts with such a setting, and is weaker for it.',
    de: 'Der Dienst startet mit einer solchen Einstellung und ist dadurch schwächer.',
  },
  mend: {
    do: {
      en: 'docs/configuration.md says what the setting does.',
      de: 'docs/configuration.md sagt, was die Einstellung bewirkt.',
    },
    setting: `${gatehouse} config check`,
  },
  find({ config }) {
    return config.warnings
      .filter((warning) => !covered.has(warning.split(' ', 1)[0] ?? ''))
      .map((warning): Found => {
        const [, file] = /_FILE: (.*) can be read by other users/.exec(warning) ?? []
        if (file !== undefined) {
          const mend = {
            do: {
              en: 'Take the right away, and consider what it holds known.',
              de: 'Entziehen Sie das Recht, und betrachten Sie den Inhalt als bekannt.',
            },
          }
          return { what: inWords(warning), mend: { ...mend, setting: `chmod 600 ${file}` } }
        }
        const former = /^(\w+): the setting is now (\w+);/.exec(warning)
        if (former) {
          const [, old, present] = former
          const mend = {
            do: { en: `Rename ${old} to ${present}.`, de: `Benennen Sie ${old} in ${present} um.` },
          }
          return { what: inWords(warning), level: 'info', mend }
        }
        // The database network may be local to the machine.
        const isLocal = warning.startsWith('DATABASE_URL')
        return { what: inWords(warning), ...(isLocal && { level: 'info' }) }
      })
  },
})

export const settingChecks: readonly Check<OfflineContext>[] = [
  environment,
  corsOrigins,
  logLevel,
  baseUrl,
]
