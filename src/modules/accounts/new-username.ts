import { type EmailAddress, parseEmail } from '../../core/addresses/email.ts'
import type { Config } from '../../core/config/load.ts'
import { canonicalUsername, type Username } from '../../core/lib/username.ts'
import { mixesScripts } from './mixed-scripts.ts'

// Invisible characters, and the blank of Braille, which looks like a space.
const unseen = /[\p{Default_Ignorable_Code_Point}\u2800]/u

/**
 * The canonical form of the username of a new account. Null if `canonicalUsername` refuses the name, or
 * if the name has a default-ignorable code point or U+2800 and so looks like another name. Existing
 * names are read by `canonicalUsername` alone.
 */
export function newUsername(text: string): Username | null {
  return unseen.test(text) ? null : canonicalUsername(text)
}

/**
 * Names that look like an authority of the service, of a mail domain or of a machine: RFC 2142, the
 * usual administrators, and the name of this product. Settings of modules and BRAND_NAME add to them.
 */
const reservedAlways = [
  ...['info', 'marketing', 'sales', 'support'], // RFC 2142 section 3
  ...['abuse', 'noc', 'security'], // section 4
  ...['postmaster', 'hostmaster', 'usenet', 'news', 'webmaster', 'www', 'uucp', 'ftp'], // section 5
  ...['root', 'admin', 'administrator', 'service', 'system', 'gatehouse'],
]

/** The names that only an administrator or the command line gives, in canonical form. */
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

/** What is wrong with a username that its own owner chooses, and the message for programs. */
export const chosenUsernameFaults = {
  scripts: 'must not mix letters of several scripts',
  address: 'must not be a mail address other than the proven one',
  reserved: 'is reserved',
} as const
export type ChosenUsernameFault = keyof typeof chosenUsernameFaults

/**
 * Judges a name that no administrator gives: at a sign-up, an invitation and a sign-up through a
 * provider. `proven` is the canonical form of the address whose mailbox the owner has proved to read.
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
