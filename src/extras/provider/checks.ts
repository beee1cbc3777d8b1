import { sql } from 'kysely'
import { isLoopback } from '../../core/addresses/loopback.ts'
import type { Check } from '../../core/checks/check.ts'
import type { InsideContext, ModuleChecks, OfflineContext } from '../../core/checks/context.ts'
import { gatehouse } from '../../core/hints/command-line.ts'

const dayMs = 86_400_000
const unusedMs = 30 * dayMs
/** Reached after about a quarter of an hour. */
const manyAttempts = 4
const maxNamed = 20

const providerPlain: Check<OfflineContext> = {
  id: 'provider_plain',
  level: 'error',
  passMessage: 'applications find this OpenID Provider by https, or on this machine alone',
  why: {
    en: 'Codes, tokens and secrets of applications cross the network in the clear, and most applications refuse an issuer without https.',
    de: 'Codes, Token und Geheimnisse von Anwendungen gehen im Klartext durch das Netz, und die meisten Anwendungen lehnen einen Aussteller ohne https ab.',
  },
  mend: {
    do: {
      en: 'Put TLS in front, and name the address that people see.',
      de: 'Setzen Sie TLS davor, und nennen Sie die Adresse, die Personen sehen.',
    },
    setting: 'BASE_URL=https://id.example.org',
  },
  find({ config: { baseUrl, provider } }) {
    const { hostname, protocol } = new URL(baseUrl)
    if (!provider.isOn || protocol === 'https:' || isLoopback(hostname)) return []
    return [
      {
        what: {
          en: `PROVIDER is on, and the issuer is ${baseUrl}.`,
          de: `PROVIDER ist on, und der Aussteller ist ${baseUrl}.`,
        },
      },
    ]
  },
}

const logouts: Check<InsideContext> = {
  id: 'application_logouts',
  level: 'warning',
  passMessage: 'applications accept their logout tokens',
  why: {
    en: 'A person who has signed out here stays signed in there. A logout is tried for a day, then given up.',
    de: 'Eine Person, die sich hier abgemeldet hat, bleibt dort angemeldet. Eine Abmeldung wird einen Tag lang versucht und dann aufgegeben.',
  },
  mend: {
    do: {
      en: 'Mend the address, or have the application answer it with 200. A private address needs LOGOUT_NETWORKS.',
      de: 'Berichtigen Sie die Adresse, oder lassen Sie die Anwendung mit 200 antworten. Eine private Adresse braucht LOGOUT_NETWORKS.',
    },
    setting: 'LOGOUT_NETWORKS=10.20.0.0/16',
  },
  async find({ config, db }) {
    if (!config.provider.isOn) return []
    const rows = await db
      .selectFrom('provider_logins')
      .select(['client', (eb) => eb.fn.countAll().as('count')])
      .where('due_at', 'is not', null)
      .where('attempts', '>=', manyAttempts)
      .groupBy('client')
      .orderBy('client')
      .limit(maxNamed)
      .execute()
    return rows.map(({ client, count }) => ({
      what: {
        en: `The application ${client} was not told of ${count} sign-outs, after several tries each.`,
        de: `Die Anwendung ${client} hat von ${count} Abmeldungen nach mehreren Versuchen nicht erfahren.`,
      },
    }))
  },
}

const unused: Check<InsideContext> = {
  id: 'applications_unused',
  level: 'info',
  passMessage: 'someone uses each application that was added a month ago',
  why: {
    en: 'An unused entry is a secret and a redirect address without an owner.',
    de: 'Ein unbenutzter Eintrag ist ein Geheimnis und eine Weiterleitungsadresse ohne Besitzer.',
  },
  mend: {
    do: {
      en: 'Remove the client, or give its owner the address to sign in at.',
      de: 'Entfernen Sie den Client, oder geben Sie seinem Besitzer die Adresse zum Anmelden.',
    },
    setting: `${gatehouse} client remove ID`,
  },
  async find({ clock, config, db }) {
    if (!config.provider.isOn) return []
    const rows = await db
      .selectFrom('clients')
      .select(['id', 'entry'])
      .where('created_at', '<', clock.now() - unusedMs)
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('provider_consents')
              .select('user_id')
              .whereRef('provider_consents.client', '=', 'clients.id'),
          ),
        ),
      )
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('provider_artifacts')
              .select('user_id')
              .whereRef('provider_artifacts.client', '=', 'clients.id')
              .where('kind', '=', sql.lit('Grant')), // as the index has it
          ),
        ),
      )
      .orderBy('id')
      .limit(maxNamed)
      .execute()
    return rows.filter(signsPeopleIn).map(({ id }) => ({
      what: {
        en: `Nobody has given the application ${id} access, and it holds no token.`,
        de: `Niemand hat der Anwendung ${id} Zugriff gegeben, und sie hat kein Token.`,
      },
      mend: { setting: `${gatehouse} client remove ${id}` },
    }))
  },
}

/** A machine signs in for itself, and its tokens last minutes. */
function signsPeopleIn({ entry }: { readonly entry: string }): boolean {
  const { type = 'machine' } = JSON.parse(entry) as { type?: string } // written by modules/clients
  return type !== 'machine'
}

export const checks: ModuleChecks = { offline: [providerPlain], inside: [logouts, unused] }
