import { isLoopback } from '../../core/addresses/loopback.ts'
import type { Check } from '../../core/checks/check.ts'
import type { InsideContext, ModuleChecks, OfflineContext } from '../../core/checks/context.ts'

const address: Check<OfflineContext> = {
  id: 'passkey_address',
  level: 'info',
  passMessage: 'browsers create passkeys at BASE_URL',
  why: 'A passkey belongs to a domain. Browsers create none at an IP address, so the pages do not offer passkeys.',
  mend: { do: 'Give the service a name, and use the name in BASE_URL.' },
  find({ config: { baseUrl, passkeys } }) {
    const { hostname } = new URL(baseUrl)
    if (passkeys.isPossible || isLoopback(hostname)) return []
    return [{ what: `BASE_URL is the IP address ${hostname}.` }]
  },
}

const domain: Check<InsideContext> = {
  id: 'passkey_domain',
  level: 'warning',
  passMessage: 'all passkeys are of the domain of this service',
  why: 'An authenticator offers a passkey at its own domain only. These passkeys cannot be used here: an account that has no other factor is left with its recovery codes.',
  mend: {
    do: 'Set PASSKEY_RP_ID to a domain that the addresses before and now share, or let the owners add new passkeys.',
  },
  async find({ config, db }) {
    const { rpId } = config.passkeys
    const { total } = await db
      .selectFrom('passkeys')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .where('rp_id', '!=', rpId)
      .executeTakeFirstOrThrow()
    if (Number(total) === 0) return []
    return [{ what: `${total} passkeys are of another domain than ${rpId}.` }]
  },
}

export const checks: ModuleChecks = { offline: [address], inside: [domain] }
