import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { confirmed } from '../../components/confirm.tsx'
import { toast } from '../../components/toasts.tsx'
import { type DeliveryFilters, sinceOf } from './delivery-filters.ts'
import { webhooksTexts } from './texts.ts'
import { maxCounted } from './webhook.ts'

interface Props {
  readonly webhook: string
  /** Time and type count; the state is always "failed". */
  readonly filters: DeliveryFilters
  readonly onRepeated: () => void
}

/** Sends again what a webhook has missed, after it said how much that is. */
export function RepeatFailed({ webhook, filters: { span, type }, onRepeated }: Props) {
  const { deliveries: t } = webhooksTexts.use()
  const [soFar, setSoFar] = useState<number | null>(null)

  async function repeat(): Promise<void> {
    const path = { id: webhook }
    const chosen = {
      state: 'failed',
      ...(span !== '' && { since: sinceOf(span, Date.now()) }),
      ...(type !== '' && { type }),
    } as const
    const query = { ...chosen, limit: maxCounted }
    const failed = await dataOf(
      api.GET('/api/admin/webhooks/{id}/deliveries', { params: { path, query } }),
    )
    const count = failed.data.length
    if (count === 0 && failed.next === null) return toast(t.nothingFailed)
    const effects = t.repeatAllEffects(count, failed.next !== null)
    const isSure = await confirmed({ title: t.repeatAllTitle, effects, action: t.repeat })
    if (!isSure) return
    toast(t.repeatedAll(await repeatAll(path, chosen)))
    onRepeated()
  }

  /** One request repeats a part; the next one goes on after it. */
  async function repeatAll(
    path: { readonly id: string },
    chosen: { readonly state: 'failed' },
  ): Promise<number> {
    let repeated = 0
    let after: number | null = 0
    try {
      while (after !== null) {
        const body: typeof chosen & { after: number } = { ...chosen, after }
        const part: { repeated: number; next: number | null } = await dataOf(
          api.POST('/api/admin/webhooks/{id}/repeat', { params: { path }, body }),
        )
        repeated += part.repeated
        after = part.next
        setSoFar(repeated)
      }
    } finally {
      setSoFar(null)
    }
    return repeated
  }
  return (
    <ActionButton kind="quiet" isSmall onClick={repeat}>
      {soFar === null ? t.repeatAll : t.repeatedSoFar(soFar)}
    </ActionButton>
  )
}
