import { join } from 'node:path'
import { fingerprintList, hashList } from '../password-strength/breached/fingerprint-list.ts'
import { readingsOf } from '../password-strength/readings.ts'

/**
 * The shipped list of signing secrets and keys that public repositories and manuals contain. Made
 * by tools/secret-lists.ts; SOURCE.md names its sources.
 */
export const knownSecretsFile = join(import.meta.dirname, 'known-secrets.bin')
const isListed = fingerprintList(knownSecretsFile)

/** Whether a SHA-256 (hex digits) is that of a known secret, in the form of the list. */
export const isKnownSecretHash = hashList(knownSecretsFile)

/**
 * A known secret with up to this many characters added before or after it still counts as known.
 */
const maxAdded = 4

/** The form of a secret in the list: it ignores case and the variant of base64. */
export function listedForm(text: string): string {
  return text
    .replace(/=+$/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .normalize('NFC')
    .toLowerCase()
}

/** Whether the list holds a secret, in any of its readings, with or without added characters. */
export function isKnownSecret(secret: string): boolean {
  return readingsOf(secret).some(hasListedSpelling)
}

function hasListedSpelling(text: string): boolean {
  const bytes = Buffer.from(text)
  const spellings = [text, bytes.toString('base64'), bytes.toString('hex')]
  for (let added = 1; added <= maxAdded; added += 1) {
    spellings.push(text.slice(added), text.slice(0, -added))
  }
  return spellings.some((spelling) => isListed(listedForm(spelling)))
}
