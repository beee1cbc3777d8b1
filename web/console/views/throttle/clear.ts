import { api, dataOf } from '../../api/client.ts'
import { confirmed } from '../../components/confirm.tsx'
import { toast } from '../../components/toasts.tsx'
import { throttleTexts } from './texts.ts'

export interface Clear {
  /** Forgets the failed attempts of a username, or of a client. */
  readonly name: (name: string) => Promise<void>
  /** Forgets those that close an address for all names. */
  readonly address: (address: string) => Promise<void>
}

/** Makes the functions that forget failed attempts. */
export function useClear(reload: () => void): Clear {
  const t = throttleTexts.use()

  async function clear(of: string, effects: readonly string[], request: () => Promise<unknown>) {
    if (!(await confirmed({ title: t.clearTitle(of), effects, action: t.clearAction }))) return
    await request()
    toast(t.cleared(of))
    reload()
  }

  return {
    name: (username) =>
      clear(username, t.clearEffects, () =>
        dataOf(api.DELETE('/api/admin/throttle/{username}', { params: { path: { username } } })),
      ),
    address: (address) =>
      clear(address, t.clearAddressEffects, () =>
        dataOf(
          api.DELETE('/api/admin/throttle/addresses/{address}', { params: { path: { address } } }),
        ),
      ),
  }
}
