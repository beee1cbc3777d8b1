import { createPrivateKey } from 'node:crypto'
import type { Secret } from '../crypto/secret.ts'
import { isKnownSecret } from './known-secrets.ts'
import { isKnownRsaKey } from './rsa-key.ts'
import { secretWeakness } from './signing-secret.ts'

const publiclyKnown = 'is publicly known'

interface Check {
  readonly weakness: (text: string) => string | undefined
  readonly advice?: string
}

const ofSigningSecret: Check = {
  weakness: secretWeakness,
  advice: '`openssl rand -base64 32` prints a good signing secret.',
}

const ofMasterKey: Check = {
  weakness: (text) => (spellingsOf(text).some(isKnownSecret) ? publiclyKnown : undefined),
  advice: '`openssl rand -hex 32` prints a good master key.',
}

/**
 * The secrets that an operator chooses, with the check that finds each too weak for production. A
 * previous secret still verifies tokens, so it can be used to forge them. Of master keys only the
 * publicly known ones are refused here: a master key signs nothing, and its shape was checked
 * before.
 */
const checks = {
  TOKEN_SECRET: ofSigningSecret,
  TOKEN_SECRET_PREVIOUS: ofSigningSecret,
  TOKEN_PRIVATE_KEY: {
    weakness: (pem) => (isKnownRsaKey(createPrivateKey(pem)) ? publiclyKnown : undefined),
  },
  MASTER_KEY: ofMasterKey,
  MASTER_KEY_NEXT: ofMasterKey,
} as const satisfies Record<string, Check>

type Checked = keyof typeof checks

/** Answers the weaknesses of configured secrets, by the names of their settings. */
export function secretWeaknesses(
  values: Readonly<Record<Checked, Secret | undefined>>,
): (readonly [name: Checked, weakness: string])[] {
  return names().flatMap((name) => {
    const text = values[name]?.reveal()
    const weakness = text === undefined ? undefined : checks[name].weakness(text)
    return weakness === undefined ? [] : [[name, weakness] as const]
  })
}

/** Answers how to generate better values of refused settings: distinct sentences. */
export function secretAdvice(refused: readonly string[]): string[] {
  const advice = names().map((name) => {
    const { advice }: Check = checks[name]
    return refused.includes(name) ? advice : undefined
  })
  return [...new Set(advice.filter((sentence) => sentence !== undefined))]
}

function names(): Checked[] {
  return Object.keys(checks) as Checked[] // its own keys
}

/** A master key in both accepted encodings. */
function spellingsOf(text: string): string[] {
  const bytes = Buffer.from(text, text.length === 64 ? 'hex' : 'base64url')
  return [bytes.toString('hex'), bytes.toString('base64url')]
}
