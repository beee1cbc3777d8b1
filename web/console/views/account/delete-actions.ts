import { api, dataOf } from '../../api/client.ts'
import { confirmed } from '../../components/confirm.tsx'
import { toast } from '../../components/toasts.tsx'
import { type ActionContext, endedLogins } from './action.ts'

/** Deletes the account and keeps its user; answers whether it was done. */
export async function deleteAccount(context: ActionContext): Promise<boolean> {
  const { shown, t } = context
  const { username } = shown.account.data
  const isConfirmed = await confirmed({
    title: t.deleteTitle(username),
    effects: [endedLogins(context), ...t.deleteEffects],
    action: t.deleteAccount,
    isDangerous: true,
    typed: username,
  })
  if (!isConfirmed) return false
  const params = { path: { username }, header: { 'If-Match': shown.account.etag } }
  await dataOf(api.DELETE('/api/admin/accounts/{username}', { params }))
  toast(t.deleted(username))
  return true
}

/** Deletes the user with its account, and erases the person. */
export async function deleteUser(context: ActionContext): Promise<boolean> {
  const { shown, t } = context
  const { username } = shown.account.data
  const isConfirmed = await confirmed({
    title: t.deleteUserTitle(username),
    effects: [endedLogins(context), ...t.deleteUserEffects],
    action: t.deleteUser,
    isDangerous: true,
    typed: username,
  })
  if (!isConfirmed) return false
  const params = { path: { id: shown.user.data.id }, header: { 'If-Match': shown.user.etag } }
  await dataOf(api.DELETE('/users/{id}', { params }))
  toast(t.userDeleted(username))
  return true
}
