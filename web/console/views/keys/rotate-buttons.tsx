import { api, dataOf } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { confirmed } from '../../components/confirm.tsx'
import { toast } from '../../components/toasts.tsx'
import { keysTexts } from './texts.ts'

interface Props {
  readonly purpose: 'signing' | 'refresh'
  readonly onRotated: () => void
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
    const { kid } = await dataOf(api.POST('/api/admin/keys/rotate', { body }))
    toast(t.rotated(kid))
    onRotated()
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
