import { derivedKey, keyedDigest } from '../../core/crypto/digest.ts'
import type { KeySet } from '../../modules/keys/key-set.ts'

export interface SecretOf {
  readonly id: string
  readonly purpose: string
  readonly addressKey: string
  readonly version: number
  /** Changes when the row is reused. */
  readonly nonce: string
}

/**
 * Recomputed each time, so that the database is useless without the master key. An HMAC with an
 * external key replaces the slow hash of ASVS 6.5.2.
 */
export interface ConfirmationSecrets {
  /** The secret half of the token. */
  link(of: SecretOf): string
  /** Eight digits, valid in one flow. */
  code(of: SecretOf, flow: string | null): string
  /** Digest for lookups of an address or name. */
  index(text: string): string
}

const codeDigits = 8

export function createConfirmationSecrets(keys: Pick<KeySet, 'dataKey'>): ConfirmationSecrets {
  let derived = derive(keys.dataKey)
  const current = () => {
    if (derived.from !== keys.dataKey) derived = derive(keys.dataKey)
    return derived
  }
  return {
    link: (of) => keyedDigest(current().links, textOf(of)),

    code(of, flow) {
      const bytes = Buffer.from(
        keyedDigest(current().codes, `${flow ?? ''}|${textOf(of)}`),
        'base64url',
      )
      return String(bytes.readUIntBE(0, 6) % 10 ** codeDigits).padStart(codeDigits, '0')
    },

    index: (text) => keyedDigest(current().indexes, text),
  }
}

function derive(dataKey: Uint8Array) {
  return {
    from: dataKey,
    links: derivedKey(dataKey, 'confirmation links'),
    codes: derivedKey(dataKey, 'confirmation codes'),
    indexes: derivedKey(dataKey, 'confirmation addresses'),
  }
}

/** The address comes last: it may contain the separator. */
function textOf({ id, purpose, addressKey, version, nonce }: SecretOf): string {
  return `${purpose}|${id}|${version}|${nonce}|${addressKey}`
}
