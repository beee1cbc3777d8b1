import { api, dataOf } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { confirmed } from '../../components/confirm.tsx'
import { toast } from '../../components/toasts.tsx'
import type { ActionContext } from '../account/action.ts'

/** Forgets the devices that stand in for the second factor of an account. */
export function AccountAction({ context }: { readonly context: ActionContext }) {
  const { shown, t } = context
  if (!shown.account.data.second_factor) return null
  return (
    <ActionButton kind="quiet" isSmall onClick={() => forgetDevices(context)}>
      {t.forgetDevices}
    </ActionButton>
  )
}

async function forgetDevices({ shown, t, reload }: ActionContext): Promise<void> {
  const { username } = shown.account.data
  const params = { path: { username } }
  const devices = await dataOf(api.GET('/api/admin/accounts/{username}/devices', { params }))
  const isConfirmed = await confirmed({
    title: t.forgetDevicesTitle(username),
    effects: [t.devicesCount(devices.length), t.forgetDevicesEffect],
    action: t.forgetDevices,
  })
  if (!isConfirmed) return
  await dataOf(api.DELETE('/api/admin/accounts/{username}/devices', { params }))
  toast(t.devicesForgotten(username))
  reload()
}
