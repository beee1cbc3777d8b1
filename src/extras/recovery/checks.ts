import { isOurs } from '../../core/checks/answers.ts'
import type { Check } from '../../core/checks/check.ts'
import type { ModuleChecks, OutsideContext } from '../../core/checks/context.ts'

const ownPages: Check<OutsideContext> = {
  id: 'own_pages',
  level: 'error',
  passMessage: 'forms of the own pages are accepted',
  why: {
    en: 'The service takes each form for one of a foreign page, and refuses it: a sign-in by a browser fails.',
    de: 'Der Dienst hält jedes Formular für eines einer fremden Seite und lehnt es ab: Eine Anmeldung im Browser schlägt fehl.',
  },
  mend: {
    do: {
      en: 'Set BASE_URL to the address of the browser, and pass its Host on.',
      de: 'Setzen Sie BASE_URL auf die Adresse im Browser, und leiten Sie deren Host weiter.',
    },
    setting: 'BASE_URL=https://auth.example.org',
    nginx: 'proxy_set_header Host $host;',
    caddy: 'reverse_proxy 127.0.0.1:3000   # without header_up Host',
  },
  async find({ origin, probe }) {
    // Always rejected: required fields are missing.
    const answer = await probe.send('/api/public/verification', {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: '{}',
    })
    const page = await probe.send('/api/public/reset', {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: '{}',
    })
    if (page.status !== 403 || !isOurs(page) || answer.status === 403) return []
    return [
      {
        what: {
          en: `A form of ${origin} is refused as that of a foreign page.`,
          de: `Ein Formular von ${origin} wird als das einer fremden Seite abgelehnt.`,
        },
      },
    ]
  },
}

export const checks: ModuleChecks = { outside: [ownPages] }
