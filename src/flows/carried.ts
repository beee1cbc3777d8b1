import { derivedKey } from '../kernel/digest.ts'
import type { Random } from '../kernel/random.ts'
import type { KeySet } from '../keys/key-set.ts'
import { seal, unseal } from '../keys/seal.ts'
import type { Browser, FlowData, PageFlow } from './flows.ts'

/** What the browser carries of an unstored flow. */
export type Carried<Data extends FlowData> = Pick<
  PageFlow<Data>,
  'secret' | 'step' | 'data' | 'returnTo' | 'language' | 'expiresAt'
>

type Bound = Pick<Browser, 'cookie'>

/**
 * Flows that nothing is stored of: `?flow=` holds them, sealed for their purpose and for the cookie
 * of their browser. A browser can send an older form of a flow again; so a flow that holds a correct
 * proof is stored.
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
      return seal(random, key, contextOf(purpose, browser), Buffer.from(plain))
    },

    /** Null for a text that was sealed for another purpose or browser, or never. */
    open<Data extends FlowData>(
      sealed: string,
      purpose: string,
      browser: Bound,
    ): Carried<Data> | null {
      try {
        return JSON.parse(unseal(key, contextOf(purpose, browser), sealed).toString()) // by `seal`
      } catch {
        return null
      }
    },
  }
}

function contextOf(purpose: string, { cookie }: Bound): string {
  return `carried flow:${purpose}:${cookie}`
}
