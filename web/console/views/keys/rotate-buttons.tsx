import { api, dataOf } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { confirmed } from '../../components/confirm.tsx'
import { toast } from '../../components/toasts.tsx'
import { keysTexts } from './texts.ts'

interface Props {
  readonly purpose: 'signing' | 'refresh' | 'identity'
  /** The key that leaked, if it can be retired in some seconds. */
  readonly onRotated: (leaked: string | null) => void
}

/** Replaces the key of a purpose: by plan, or at once because it leaked. */
export function RotateButtons({ purpose, onRotated }: Props) {
  const t = keysTexts.use()

  async function rotate(isAtOnce: boolean): Promise<void> {
    const isSure = await confirmed({
      title: t.rotateTitle[purpose],
      effects: (isAtOnce ? t.rotateNowEffects : t.rotateEffects)[purpose],
      action: isAtOnce ? t.rotateNow : t.rotate,
      isDangerous: isAtOnce,
    })
    if (!isSure) return
    const body = { purpose, at_once: isAtOnce }
    const { kid, before } = await dataOf(api.POST('/api/admin/keys/rotate', { body }))
    toast(isAtOnce ? t.rotatedAtOnce(kid, before) : t.rotated(kid))
    onRotated(isAtOnce ? before : null)
  }
  return (
    <div class="actions">
      <ActionButton kind="quiet" isSmall onClick={() => rotate(false)}>
        {t.rotate}
      </ActionButton>
      <ActionButton kind="danger" isSmall onClick={() => rotate(true)}>
        {t.rotateNow}
      </ActionButton>
    </div>
  )
}
