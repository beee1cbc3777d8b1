import { readFile } from 'node:fs/promises'
import { parseEmail } from '../../core/addresses/email.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { caseFold } from '../../core/lib/text.ts'
import { readMail } from './mail-text.ts'
import { recipientStore } from './recipient-store.ts'

/**
 * The keys of the address that a mail of development is to, as users and accounts have them. Null for a
 * file that is no mail of this service, or is gone.
 */
export async function recipientOfFile(path: string): Promise<readonly string[] | null> {
  const content = await readFile(path, 'utf8').catch(() => '')
  const [, to] = readMail(content).headers.find(([name]) => name.toLowerCase() === 'to') ?? []
  if (to === undefined) return null
  return addressKeys(/<([^<>]+)>\s*$/.exec(to)?.[1] ?? to)
}

/** The keys of the address of a user and of a verified address. */
export function addressKeys(address: string): string[] {
  const parsed = parseEmail(address)
  return [caseFold(address), ...(parsed ? [parsed.key] : [])]
}

/** Which of these keys of addresses a user has. */
export function knownRecipients(
  db: DatabaseOrTransaction,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  return recipientStore(db).known(keys)
}
