import { derivedKey, keyedDigest } from '../../core/crypto/digest.ts'
import type { KeySet } from '../../modules/keys/key-set.ts'

/** What the link and the code of a confirmation are computed from. */
export interface SecretOf {
  readonly id: string
  readonly purpose: string
  /** The canonical address. */
  readonly addressKey: string
  readonly version: number
  /** Changes when the row is used for another confirmation. */
  readonly nonce: string
}

/**
 * Computes links and codes anew each time, for the worker that mails them and for their judge: the
 * database has neither them nor a digest of them, and is of no use without the master key. An HMAC
 * whose key is outside the database takes the place of the slow hash that ASVS 6.5.2 asks for.
 */
export interface ConfirmationSecrets {
  /** The secret half of the token in the link. */
  link(of: SecretOf): string
  /** Eight digits, which count in one flow alone. */
  code(of: SecretOf, flow: string | null): string
  /** The digest under which an address, or another name that was asked for, is found. */
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

/** The address may hold the separator, so it comes last. */
function textOf({ id, purpose, addressKey, version, nonce }: SecretOf): string {
  return `${purpose}|${id}|${version}|${nonce}|${addressKey}`
}
