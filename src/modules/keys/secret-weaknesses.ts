import { createPrivateKey } from 'node:crypto'
import type { Secret } from '../../core/crypto/secret.ts'
import { isKnownSecret } from '../../core/secret-strength/known-secrets.ts'
import { isKnownRsaKey } from '../../core/secret-strength/rsa-key.ts'
import { secretWeakness } from '../../core/secret-strength/signing-secret.ts'

const publiclyKnown = 'is publicly known'

const ofMasterKey = (text: string) =>
  spellingsOf(text).some(isKnownSecret) ? publiclyKnown : undefined

/**
 * Checks of operator-chosen secrets for production. A previous secret still verifies tokens, so a
 * weak previous secret allows forgery.
 */
const checks = {
  TOKEN_SECRET: secretWeakness,
  TOKEN_SECRET_PREVIOUS: secretWeakness,
  TOKEN_PRIVATE_KEY: (pem) => (isKnownRsaKey(createPrivateKey(pem)) ? publiclyKnown : undefined),
  MASTER_KEY: ofMasterKey,
  MASTER_KEY_NEXT: ofMasterKey,
} as const satisfies Record<string, (text: string) => string | undefined>

type Checked = keyof typeof checks

/** The weaknesses of configured secrets, by setting. */
export function secretWeaknesses(
  values: Readonly<Record<Checked, Secret | undefined>>,
): (readonly [name: Checked, weakness: string])[] {
  const names = Object.keys(checks) as Checked[] // the keys of `checks`
  return names.flatMap((name) => {
    const text = values[name]?.reveal()
    const weakness = text === undefined ? undefined : checks[name](text)
    return weakness === undefined ? [] : [[name, weakness] as const]
  })
}

/** A master key in both accepted encodings. */
function spellingsOf(text: string): string[] {
  const bytes = Buffer.from(text, text.length === 64 ? 'hex' : 'base64url')
  return [bytes.toString('hex'), bytes.toString('base64url')]
}
