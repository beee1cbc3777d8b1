import { isLoopback } from '../../core/addresses/loopback.ts'
import type { Check } from '../../core/checks/check.ts'
import type { InsideContext, ModuleChecks, OfflineContext } from '../../core/checks/context.ts'

const address: Check<OfflineContext> = {
  id: 'passkey_address',
  level: 'info',
  passMessage: 'browsers create passkeys at BASE_URL',
  why: {
    en: 'A passkey belongs to a domain. Browsers create none at an IP address, so the pages do not offer passkeys.',
    de: 'Ein Passkey gehört zu einer Domain. An einer IP-Adresse legen Browser keinen an; deshalb bieten die Seiten keine Passkeys an.',
  },
  mend: {
    do: {
      en: 'Give the service a name, and use the name in BASE_URL.',
      de: 'Geben Sie dem Dienst einen Namen, und tragen Sie den Namen in BASE_URL ein.',
    },
  },
  find({ config: { baseUrl, passkeys } }) {
    const { hostname } = new URL(baseUrl)
    if (passkeys.isPossible || isLoopback(hostname)) return []
    return [
      {
        what: {
          en: `BASE_URL is the IP address ${hostname}.`,
          de: `BASE_URL ist die IP-Adresse ${hostname}.`,
        },
      },
    ]
  },
}

const domain: Check<InsideContext> = {
  id: 'passkey_domain',
  level: 'warning',
  passMessage: 'all passkeys are of the domain of this service',
  why: {
    en: 'An authenticator offers a passkey at its own domain only. These passkeys cannot be used here: an account that has no other factor is left with its recovery codes.',
    de: 'Ein Authenticator bietet einen Passkey nur bei dessen Domain an. Diese Passkeys sind hier nicht benutzbar: Einem Konto ohne anderen Faktor bleiben nur seine Wiederherstellungscodes.',
  },
  mend: {
    do: {
      en: 'Set PASSKEY_RP_ID to a domain that the addresses before and now share, or let the owners add new passkeys.',
      de: 'Setzen Sie PASSKEY_RP_ID auf eine Domain, die die frühere und die jetzige Adresse gemeinsam haben, oder lassen Sie die Besitzer neue Passkeys anlegen.',
    },
  },
  async find({ config, db }) {
    const { rpId } = config.passkeys
    const { total } = await db
      .selectFrom('passkeys')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .where('rp_id', '!=', rpId)
      .executeTakeFirstOrThrow()
    if (Number(total) === 0) return []
    return [
      {
        what: {
          en: `${total} passkeys are of another domain than ${rpId}.`,
          de: `${total} Passkeys gehören zu einer anderen Domain als ${rpId}.`,
        },
      },
    ]
  },
}

export const checks: ModuleChecks = { offline: [address], inside: [domain] }
