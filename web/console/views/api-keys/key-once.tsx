import type { components } from '../../api/openapi.d.ts'
import { Copyable } from '../../components/copyable.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { accountTexts } from '../account/texts.ts'

export type MadeKey = components['schemas']['NewApiKey']

interface Props {
  readonly made: MadeKey
  readonly onClose: () => void
}

/** The text of a key, shown once. */
export function KeyOnce({ made, onClose }: Props) {
  const t = accountTexts.use().apiKeys
  const title = t.madeTitle(made.name)
  return (
    <Dialog title={title} onClose={onClose}>
      <Copyable text={made.key} about={title} isBlock />
      <p>{t.madeHint}</p>
      <div class="actions">
        <button type="button" onClick={onClose}>
          {t.done}
        </button>
      </div>
    </Dialog>
  )
}
