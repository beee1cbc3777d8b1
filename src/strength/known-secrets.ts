import { join } from 'node:path'
import { fingerprintList } from './breached/fingerprint-list.ts'
import { readingsOf } from './readings.ts'

/**
 * The shipped list of signing secrets and keys that are printed in public repositories and manuals.
 * Made by tools/secret-lists.ts; where it comes from: SOURCE.md.
 */
export const knownSecretsFile = join(import.meta.dirname, 'known-secrets.bin')
const isListed = fingerprintList(knownSecretsFile)

/** A known secret is not made better by a few characters more before or behind it. */
const maxAdded = 4

/** The form in which a secret stands in the list: without regard to case and to kinds of base64. */
export function listedForm(text: string): string {
  return text
    .replace(/=+$/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .normalize('NFC')
    .toLowerCase()
}

/** Whether the list holds a secret, in any reading of it and with a few characters added. */
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
