import { api, dataOf, type Tagged, taggedOf } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { confirmed } from '../../components/confirm.tsx'
import { toast } from '../../components/toasts.tsx'
import { type Client, type ClientWithSecret, draftOf, entryOf } from './client.ts'
import { clientsTexts } from './texts.ts'

interface Props extends Tagged<Client> {
  readonly onChanged: (changed: Tagged<ClientWithSecret>) => void
  readonly onRemoved: () => void
}

/** What can be done with a client; each action says first what it will do. */
export function ClientActions({ data, etag, onChanged, onRemoved }: Props) {
  const { actions: t } = clientsTexts.use()
  const { id, secrets, source, type } = data
  const params = { path: { id }, header: { 'If-Match': etag } }
  if (source === 'file') return null

  async function setDisabled(disabled: boolean): Promise<void> {
    const action = disabled ? t.disable : t.enable
    const effects = disabled ? t.disableEffects : t.enableEffects
    if (!(await confirmed({ title: t.title(action, id), effects, action }))) return
    const body = { ...entryOf(data, draftOf(data)), disabled }
    onChanged(await taggedOf(api.PUT('/api/admin/clients/{id}', { params, body })))
  }

  async function renew(): Promise<void> {
    const question = { title: t.title(t.renew, id), effects: t.renewEffects, action: t.renew }
    if (!(await confirmed(question))) return
    onChanged(await taggedOf(api.POST('/api/admin/clients/{id}/secret', { params })))
  }

  async function retire(): Promise<void> {
    const question = { title: t.title(t.retire, id), effects: t.retireEffects, action: t.retire }
    if (!(await confirmed(question))) return
    onChanged(await taggedOf(api.DELETE('/api/admin/clients/{id}/secret', { params })))
  }

  async function remove(): Promise<void> {
    const isSure = await confirmed({
      ...{ title: t.title(t.remove, id), effects: t.removeEffects, action: t.remove },
      ...{ isDangerous: true, typed: id },
    })
    if (!isSure) return
    await dataOf(api.DELETE('/api/admin/clients/{id}', { params }))
    toast(t.removed(id))
    onRemoved()
  }
  return (
    <div class="actions">
      {type !== undefined && (
        <ActionButton kind="quiet" isSmall onClick={() => setDisabled(!data.disabled)}>
          {data.disabled ? t.enable : t.disable}
        </ActionButton>
      )}
      {secrets > 0 && (
        <ActionButton kind="quiet" isSmall onClick={renew}>
          {t.renew}
        </ActionButton>
      )}
      {secrets > 1 && (
        <ActionButton kind="quiet" isSmall onClick={retire}>
          {t.retire}
        </ActionButton>
      )}
      <ActionButton kind="danger" isSmall onClick={remove}>
        {t.remove}
      </ActionButton>
    </div>
  )
}
