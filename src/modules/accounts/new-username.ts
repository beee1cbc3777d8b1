import { type EmailAddress, parseEmail } from '../../core/addresses/email.ts'
import type { Config } from '../../core/config/load.ts'
import type { Words } from '../../core/lib/languages.ts'
import { withoutUnseen } from '../../core/lib/text.ts'
import { canonicalUsername, type Username } from '../../core/lib/username.ts'
import { mixesScripts } from './mixed-scripts.ts'

/**
 * Also rejects invisible characters, which make a name look like another. Existing names use
 * `canonicalUsername` alone.
 */
export function newUsername(text: string): Username | null {
  return withoutUnseen(text) === text ? canonicalUsername(text) : null
}

/**
 * Names that suggest authority (RFC 2142, common administrator names, this product); module
 * settings and BRAND_NAME add more.
 */
const reservedAlways = [
  ...['info', 'marketing', 'sales', 'support'], // RFC 2142 section 3
  ...['abuse', 'noc', 'security'], // section 4
  ...['postmaster', 'hostmaster', 'usenet', 'news', 'webmaster', 'www', 'uucp', 'ftp'], // section 5
  ...['root', 'admin', 'administrator', 'service', 'system', 'gatehouse'],
]

/** Only an administrator or the command line can assign these names. */
export function reservedUsernames({
  pages,
  reservedUsernames,
}: ReservingConfig): ReadonlySet<string> {
  const name = canonicalUsername(pages.name)
  return new Set([
    ...reservedAlways,
    ...Object.values(reservedUsernames).flat(),
    ...(name === null ? [] : [name]),
  ])
}

export interface ReservingConfig extends Pick<Config, 'reservedUsernames'> {
  readonly pages: { readonly name: string }
}

export const chosenUsernameFaults = {
  scripts: {
    en: 'must not mix letters of several scripts',
    de: 'darf nicht Buchstaben mehrerer Schriften mischen',
  },
  address: {
    en: 'must not be a mail address other than the proven one',
    de: 'darf keine andere E-Mail-Adresse als die bestätigte sein',
  },
  reserved: { en: 'is reserved', de: 'ist reserviert' },
} as const satisfies Record<string, Words>
export type ChosenUsernameFault = keyof typeof chosenUsernameFaults

/**
 * For names that no administrator chooses: sign-up, invitation, provider. `proven`: the canonical
 * address whose mailbox was verified.
 */
export function faultOfChosen(
  username: Username,
  reserved: ReadonlySet<string>,
  proven: EmailAddress['key'] | null,
): ChosenUsernameFault | null {
  if (reserved.has(username)) return 'reserved'
  const address = parseEmail(username)
  if (address && address.key !== proven) return 'address'
  return mixesScripts(username) ? 'scripts' : null
}
