import { isOurs } from '../../core/checks/answers.ts'
import type { Check } from '../../core/checks/check.ts'
import type { ModuleChecks, OutsideContext } from '../../core/checks/context.ts'

const ownPages: Check<OutsideContext> = {
  id: 'own_pages',
  level: 'error',
  passMessage: 'forms of the own pages are accepted',
  why: 'The service takes each form for one of a foreign page, and refuses it: a sign-in by a browser fails.',
  mend: {
    do: 'Set BASE_URL to the address of the browser, and pass its Host on.',
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
    return [{ what: `A form of ${origin} is refused as that of a foreign page.` }]
  },
}

export const checks: ModuleChecks = { outside: [ownPages] }
