import { isLoopback } from '../../core/addresses/loopback.ts'
import type { Check } from '../../core/checks/check.ts'
import { type InsideContext, isPublic, type ModuleChecks } from '../../core/checks/context.ts'
import type { Words } from '../../core/lib/languages.ts'
import type { Client } from './client-entry.ts'
import { clientStore } from './store.ts'

const maxNamed = 20
// RFC 2606 and RFC 6761: nobody has these names.
const reserved = /(^|\.)(example|invalid|test|example\.(com|net|org))$/

const redirects: Check<InsideContext> = {
  id: 'application_redirects',
  level: 'warning',
  passMessage: 'the redirect addresses of applications lead to applications',
  why: {
    en: 'The sign-in ends at an address where the application is not, so the sign-in fails.',
    de: 'Die Anmeldung endet an einer Adresse, an der die Anwendung nicht ist, und schlägt deshalb fehl.',
  },
  mend: {
    do: {
      en: 'Write the address into the entry where people open the application; its documentation has the path.',
      de: 'Tragen Sie die Adresse ein, unter der Personen die Anwendung öffnen; den Pfad nennt ihre Dokumentation.',
    },
    setting: '"redirect_uris": ["https://grafana.YOUR-DOMAIN/login/generic_oauth"]',
  },
  async find({ config, db }) {
    if (!isPublic(config)) return []
    const inFile = config.clients.atStart
    const stored = (await clientStore(db).all()).filter(
      ({ id }) => !inFile.some((one) => one.id === id),
    )
    const own = new URL(config.baseUrl).host
    return [...inFile, ...stored]
      .flatMap((client) => faultsOf(client, own))
      .slice(0, maxNamed)
      .map((what) => ({ what }))
  },
}

function faultsOf({ application, id }: Client, own: string): Words[] {
  if (!application || application.isDisabled) return []
  return application.redirectUris.flatMap((uri) => {
    const { host, hostname } = new URL(uri)
    const fault = faultOf(host, hostname, own, application.type === 'web')
    return fault === null
      ? []
      : [
          {
            en: `The client ${id} redirects to ${uri}: ${fault.en}.`,
            de: `Der Client ${id} leitet nach ${uri} weiter: ${fault.de}.`,
          },
        ]
  })
}

function faultOf(host: string, hostname: string, own: string, isWeb: boolean): Words | null {
  if (host === own) return { en: 'that is this service itself', de: 'das ist dieser Dienst selbst' }
  if (reserved.test(hostname))
    return {
      en: 'that name is reserved for examples',
      de: 'dieser Name ist für Beispiele reserviert',
    }
  if (isWeb && isLoopback(hostname))
    return {
      en: 'that is the machine of the person, not of the application',
      de: 'das ist der Rechner der Person, nicht der Anwendung',
    }
  return null
}

export const checks: ModuleChecks = {
  operatorFiles: ({ clients }) => ({ CLIENTS_FILE: clients.file }),
  inside: [redirects],
}
