import { api, dataOf, type Tagged, taggedOf } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { confirmed } from '../../components/confirm.tsx'
import { toast } from '../../components/toasts.tsx'
import { editPath } from './paths.ts'
import { webhooksTexts } from './texts.ts'
import { hostOf, maxCounted, type Webhook } from './webhook.ts'

interface Props {
  readonly webhook: Webhook
  readonly etag: string
  readonly onChanged: (changed: Tagged<Webhook>) => void
  /** A message is on its way. */
  readonly onSent: () => void
  readonly onSecret: (secret: string) => void
  readonly onRemoved: () => void
}

/** What can be done with a webhook; each action says first what it will do. */
export function WebhookActions(props: Props) {
  const { webhook, etag, onChanged, onSent, onSecret, onRemoved } = props
  const { page: t } = webhooksTexts.use()
  const { id, url } = webhook
  const path = { id }
  const isEnabled = webhook.state === 'enabled'

  async function test(): Promise<void> {
    await dataOf(api.POST('/api/admin/webhooks/{id}/test', { params: { path } }))
    toast(t.tested)
    onSent()
  }

  async function setState(state: 'enabled' | 'disabled', tag?: string): Promise<void> {
    const header = tag === undefined ? {} : { 'If-Match': tag }
    const params = { path, header }
    const body = { state }
    onChanged(await taggedOf(api.PUT('/api/admin/webhooks/{id}', { params, body })))
  }

  async function enable(): Promise<void> {
    await setState('enabled', etag)
    toast(t.enabled, { undo: () => setState('disabled') })
  }

  async function disable(): Promise<void> {
    const title = t.disableTitle(hostOf(url))
    if (!(await confirmed({ title, effects: t.disableEffects, action: t.disable }))) return
    await setState('disabled', etag)
    toast(t.disabled, { undo: () => setState('enabled') })
  }

  async function renew(): Promise<void> {
    const title = t.renewTitle
    if (!(await confirmed({ title, effects: t.renewEffects, action: t.renew }))) return
    const params = { path, header: { 'If-Match': etag } }
    const renewed = await taggedOf(api.POST('/api/admin/webhooks/{id}/secret', { params }))
    const { secret, ...data } = renewed.data
    onSecret(secret)
    onChanged({ data, etag: renewed.etag })
  }

  async function remove(): Promise<void> {
    const host = hostOf(url)
    const query = { state: 'waiting', limit: maxCounted } as const
    const waiting = await dataOf(
      api.GET('/api/admin/webhooks/{id}/deliveries', { params: { path, query } }),
    )
    const isSure = await confirmed({
      title: t.removeTitle(host),
      effects: t.removeEffects(waiting.data.length, waiting.next !== null),
      action: t.remove,
      isDangerous: true,
      typed: host,
    })
    if (!isSure) return
    const params = { path, header: { 'If-Match': etag } }
    await dataOf(api.DELETE('/api/admin/webhooks/{id}', { params }))
    toast(t.removed(host))
    onRemoved()
  }
  return (
    <div class="actions">
      {isEnabled ? (
        <ActionButton isSmall onClick={test}>
          {t.test}
        </ActionButton>
      ) : (
        <ActionButton isSmall onClick={enable}>
          {t.enable}
        </ActionButton>
      )}
      <a class="button quiet small" href={editPath(id)}>
        {t.edit}
      </a>
      {isEnabled && (
        <ActionButton kind="quiet" isSmall onClick={disable}>
          {t.disable}
        </ActionButton>
      )}
      <ActionButton kind="quiet" isSmall onClick={renew}>
        {t.renew}
      </ActionButton>
      <ActionButton kind="danger" isSmall onClick={remove}>
        {t.remove}
      </ActionButton>
    </div>
  )
}
