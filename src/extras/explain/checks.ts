import { isIPv4 } from 'node:net'
import { canonicalAddress } from '../../core/addresses/address.ts'
import { isWithin, parseAddressRange } from '../../core/addresses/address-ranges.ts'
import { isLoopback } from '../../core/addresses/loopback.ts'
import { type Check, CouldNotCheck, type Found } from '../../core/checks/check.ts'
import type { ModuleChecks, OutsideContext } from '../../core/checks/context.ts'
import type { Answer } from '../../core/checks/probe.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { kindOfAddress } from '../../core/outbound/address-kinds.ts'

// Documentation address (RFC 5737): no client or proxy has it.
const forged = '192.0.2.199'
// On loopback, because a local proxy may use 127.0.0.1.
const ownLoopback = '127.83.71.2'

const forwarding = {
  nginx: 'proxy_set_header X-Forwarded-For $remote_addr;',
  caddy: 'reverse_proxy 127.0.0.1:3000   # without header_up X-Forwarded-For',
}

const clientAddress: Check<OutsideContext> = {
  id: 'client_address',
  level: 'error',
  passMessage: 'the limits of logins count the address of the client, whatever it says of itself',
  why: {
    en: 'If they count what the client sends, it guesses passwords without a limit; if they count the proxy, a few failed logins of one person lock out all.',
    de: 'Zählen sie, was der Client sendet, errät er Passwörter ohne Grenze; zählen sie den Proxy, sperren wenige Fehlversuche einer Person alle aus.',
  },
  mend: {
    do: {
      en: 'The proxy sets X-Forwarded-For to the address that connects to it, and TRUST_PROXY names the proxy alone.',
      de: 'Der Proxy setzt X-Forwarded-For auf die Adresse, die sich mit ihm verbindet, und TRUST_PROXY nennt nur den Proxy.',
    },
    setting: 'TRUST_PROXY=127.0.0.1',
    ...forwarding,
  },
  async find(outside) {
    if (!outside.inside) {
      throw new CouldNotCheck({
        en: 'the database tells which address counted, and it is not here',
        de: 'die Datenbank zeigt, welche Adresse zählte, und sie ist nicht hier',
      })
    }
    const answer = await refused(outside)
    const counted = await countedAddress(outside, answer)
    const { http, login } = outside.inside.config
    const [sentFrom, reached] = [answer.localAddress, answer.address].map(
      (address) => canonicalAddress(address) ?? address,
    )
    if (counted === sentFrom) return []
    const trusted = [...http.trustedProxies, ...login.trustedNetworks].map(parseAddressRange)
    if (isWithin(sentFrom ?? '', trusted)) {
      throw new CouldNotCheck({
        en: `${sentFrom}, from which it was asked, is trusted to name others`,
        de: `${sentFrom}, von wo gefragt wurde, darf andere Adressen nennen`,
      })
    }
    if (counted === forged) {
      const what = {
        en: `The limits count what the client writes into X-Forwarded-For: ${forged} was forged, and counted.`,
        de: `Die Grenzen zählen, was der Client in X-Forwarded-For schreibt: ${forged} war gefälscht und zählte.`,
      }
      const setting = `TRUST_PROXY=${http.trustedProxies.join(',')}   # or fewer: the proxy alone`
      return [{ what, mend: { setting } }]
    }
    if (isWithin(counted, trusted)) {
      const what = {
        en: `The limits count ${counted}, the proxy itself: it does not say for whom it asks.`,
        de: `Die Grenzen zählen ${counted}, den Proxy selbst: Er sagt nicht, für wen er fragt.`,
      }
      return [{ what, mend: { setting: `TRUST_PROXY=${http.trustedProxies.join(',')}` } }]
    }
    if (kindOfAddress(counted) === 'public') return behindOthers(answer, counted)
    const what = {
      en: `The limits count ${counted} for a request that came from ${sentFrom}: TRUST_PROXY does not name that proxy.`,
      de: `Die Grenzen zählen ${counted} für eine Anfrage, die von ${sentFrom} kam: TRUST_PROXY nennt diesen Proxy nicht.`,
    }
    const setting = `TRUST_PROXY=${[...http.trustedProxies, counted].join(',')}`
    // On the way to a public address, a router may replace our source address.
    const isSure = kindOfAddress(reached ?? '') !== 'public'
    return [{ what, mend: { setting }, ...(!isSure && { level: 'warning' }) }]
  },
}

/** Headers of CDNs. */
const ofNetworks = ['cf-ray', 'x-amz-cf-id', 'x-served-by', 'x-azure-ref', 'x-akamai-request-id']

/** With NAT, a public address is most likely our own. */
function behindOthers(answer: Answer, counted: string): Found[] {
  const network = ofNetworks.find((name) => answer.header(name) !== '')
  if (network === undefined) return []
  const what = {
    en: `A network for others is in front (${network}), and the limits count ${counted}: if that is not the public address of this machine, TRUST_PROXY lacks the ranges of that network.`,
    de: `Ein Netz für andere steht davor (${network}), und die Grenzen zählen ${counted}: Ist das nicht die öffentliche Adresse dieses Rechners, fehlen in TRUST_PROXY die Bereiche dieses Netzes.`,
  }
  return [{ what, level: 'info' }]
}

async function refused({ probe }: OutsideContext): Promise<Answer> {
  const headers = { 'x-forwarded-for': forged }
  const isHere = probe.target.addresses.every((address) => isIPv4(address) && isLoopback(address))
  if (!isHere) return probe.send('/api/me', { headers })
  // Only Linux configures all of 127.0.0.0/8.
  return probe
    .send('/api/me', { headers, localAddress: ownLoopback })
    .catch(() => probe.send('/api/me', { headers }))
}

const waitMs = 250
const maxWaits = 20

/** The address stored with the refusal, within a second. */
async function countedAddress({ clock, inside }: OutsideContext, answer: Answer): Promise<string> {
  if (inside?.config.refusals.max === 0)
    throw new CouldNotCheck({ en: 'REJECTIONS_KEPT is 0', de: 'REJECTIONS_KEPT ist 0' })
  const ids = answer.all('x-request-id').flatMap((line) => line.split(',').map((id) => id.trim()))
  if (!inside || answer.status !== 401 || ids.length === 0) {
    throw new CouldNotCheck({
      en: `a request without a credential was answered ${answer.status}`,
      de: `eine Anfrage ohne Anmeldedaten wurde mit ${answer.status} beantwortet`,
    })
  }
  for (let waits = 0; waits <= maxWaits; waits += 1) {
    for (const id of ids) {
      const address = await refusedAddress(inside.db, id)
      if (address !== null) return address
    }
    await clock.wait(waitMs)
  }
  throw new CouldNotCheck({
    en: 'the service at this address does not write to this database',
    de: 'der Dienst unter dieser Adresse schreibt nicht in diese Datenbank',
  })
}

async function isOwnService(outside: OutsideContext): Promise<boolean> {
  try {
    await countedAddress(outside, await refused(outside))
    return true
  } catch {
    return false
  }
}

/** Null if not stored yet. */
async function refusedAddress(db: DatabaseOrTransaction, id: string): Promise<string | null> {
  const row = await db
    .selectFrom('refusals')
    .select('address')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.address ?? null
}

export const checks: ModuleChecks = { outside: [clientAddress], isOwnService }
