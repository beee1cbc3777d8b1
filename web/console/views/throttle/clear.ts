import { api, dataOf } from '../../api/client.ts'
import { confirmed } from '../../components/confirm.tsx'
import { toast } from '../../components/toasts.tsx'
import { throttleTexts } from './texts.ts'

/** Makes the function that forgets the failed attempts of a username, or of a client. */
export function useClear(reload: () => void): (name: string) => Promise<void> {
  const t = throttleTexts.use()
  return async (name) => {
    const isConfirmed = await confirmed({
      title: t.clearTitle(name),
      effects: t.clearEffects,
      action: t.clearAction,
    })
    if (!isConfirmed) return
    await dataOf(
      api.DELETE('/api/admin/throttle/{username}', { params: { path: { username: name } } }),
    )
    toast(t.cleared(name))
    reload()
  }
}
