import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { derivedKey } from '../../core/crypto/digest.ts'
import type { Random } from '../../core/crypto/random.ts'
import type { KeySet } from '../keys/key-set.ts'
import { seal, unseal } from '../keys/seal.ts'
import type { Browser, FlowData, PageFlow } from './flows.ts'

export type Carried<Data extends FlowData> = Pick<
  PageFlow<Data>,
  'secret' | 'step' | 'data' | 'returnTo' | 'language' | 'expiresAt'
>

type Bound = Pick<Browser, 'cookie'>

// Proxies and Node reject long URLs. Longer text is mostly an encoded return address, which
// deflates well. The first byte names the form.
const maxPlainBytes = 1024
const forms = { plain: 0, deflated: 1 } as const

/**
 * Unstored flows: `?flow=` is sealed for its purpose and browser cookie. A browser can replay an
 * older form, so a flow with a correct proof must be stored.
 */
export function createCarriedFlows({
  keys,
  random,
}: {
  readonly keys: Pick<KeySet, 'dataKey'>
  readonly random: Random
}) {
  const key = derivedKey(keys.dataKey, 'carried flows')
  return {
    seal(carried: Carried<FlowData>, purpose: string, browser: Bound): string {
      const { secret, step, data, returnTo, language, expiresAt } = carried
      const plain = JSON.stringify({ secret, step, data, returnTo, language, expiresAt })
      return seal(random, key, contextOf(purpose, browser), packed(Buffer.from(plain)))
    },

    /** Null unless sealed for this purpose and browser. */
    open<Data extends FlowData>(
      sealed: string,
      purpose: string,
      browser: Bound,
    ): Carried<Data> | null {
      try {
        const plain = unpacked(unseal(key, contextOf(purpose, browser), sealed))
        return JSON.parse(plain.toString())
      } catch {
        return null
      }
    },
  }
}

function packed(plain: Buffer): Buffer {
  if (plain.length <= maxPlainBytes) return Buffer.concat([Buffer.of(forms.plain), plain])
  return Buffer.concat([Buffer.of(forms.deflated), deflateRawSync(plain)])
}

function unpacked(bytes: Buffer): Buffer {
  const rest = bytes.subarray(1)
  return bytes[0] === forms.deflated ? inflateRawSync(rest) : rest
}

function contextOf(purpose: string, { cookie }: Bound): string {
  return `carried flow:${purpose}:${cookie}`
}
