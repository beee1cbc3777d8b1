import type { Check, Found } from '../../core/checks/check.ts'
import type { ModuleChecks, OfflineContext } from '../../core/checks/context.ts'
import { ApiError } from '../../core/errors.ts'
import { reasonOf } from '../../core/reason.ts'
import { createProviders } from './providers.ts'

const identityProviders: Check<OfflineContext> = {
  id: 'identity_providers',
  level: 'warning',
  passMessage: 'each identity provider shows its metadata and its keys',
  why: {
    en: 'Sign-ins through the provider fail, and its tokens cannot be verified once the last known keys are old.',
    de: 'Anmeldungen über den Anbieter schlagen fehl, und seine Token lassen sich nicht mehr prüfen, sobald die zuletzt bekannten Schlüssel alt sind.',
  },
  mend: {
    do: {
      en: 'Compare the issuer letter by letter with that of the provider, and see that this machine reaches it.',
      de: 'Vergleichen Sie den Aussteller Zeichen für Zeichen mit dem des Anbieters, und prüfen Sie, ob dieser Rechner ihn erreicht.',
    },
    setting: 'OIDC_ISSUER=https://login.example.org/',
  },
  async find({ clock, config, events, fetch }) {
    const found: Found[] = []
    for (const provider of createProviders({ config, clock, fetch, events }).all) {
      const { name, issuer } = provider.config
      try {
        if (provider.config.kind === 'oauth2') continue // has neither
        await provider.metadata()
        await provider.keys.find(undefined, 'RS256') // loads them
      } catch (error) {
        const reason = reasonOf(error instanceof ApiError ? error.cause : error)
        // Unavailability is often temporary; a wrong response is not.
        const isAway = error instanceof ApiError && error.status === 503
        const what = {
          en: `The provider ${name} (${issuer}) does not answer as it should: ${reason}.`,
          de: `Der Anbieter ${name} (${issuer}) antwortet nicht, wie er soll: ${reason}.`,
        }
        found.push({ what, level: isAway ? 'warning' : 'error' })
      }
    }
    return found
  },
}

export const checks: ModuleChecks = { offline: [identityProviders] }
