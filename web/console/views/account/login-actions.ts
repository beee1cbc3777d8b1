import { api, dataOf } from '../../api/client.ts'
import { confirmed } from '../../components/confirm.tsx'
import { toast } from '../../components/toasts.tsx'
import { session } from '../../session/session.ts'
import { type ActionContext, endedLogins } from './action.ts'
import type { Factor } from './read-account.ts'

export async function endSessions(context: ActionContext): Promise<void> {
  const { shown, t, reload } = context
  const { username } = shown.account.data
  const isConfirmed = await confirmed({
    title: t.endSessionsTitle(username),
    effects: [
      endedLogins(context),
      username === session.value?.username ? t.ownStays : t.mustSignIn,
    ],
    action: t.endSessions,
  })
  if (!isConfirmed) return
  const params = { path: { username } }
  await dataOf(api.DELETE('/api/admin/accounts/{username}/sessions', { params }))
  toast(t.sessionsEnded(username))
  reload()
}

export async function removeFactor(
  { shown, t, reload }: ActionContext,
  { id, kind }: Factor,
): Promise<void> {
  const { username } = shown.account.data
  const isConfirmed = await confirmed({
    title: t.removeFactorTitle(username),
    effects: t.removeFactorEffects(shown.factors.length === 1),
    action: t.removeFactor(kind),
    isDangerous: true,
    typed: username,
  })
  if (!isConfirmed) return
  const params = { path: { username, id } }
  await dataOf(api.DELETE('/api/admin/accounts/{username}/factors/{id}', { params }))
  toast(t.factorRemoved(username))
  reload()
}

export async function clearThrottle({ shown, t, reload }: ActionContext): Promise<void> {
  const { username } = shown.account.data
  const isConfirmed = await confirmed({
    title: t.clearTitle(username),
    effects: [t.clearEffect],
    action: t.clearThrottle,
  })
  if (!isConfirmed) return
  const params = { path: { username } }
  await dataOf(api.DELETE('/api/admin/throttle/{username}', { params }))
  toast(t.throttleCleared(username))
  reload()
}
