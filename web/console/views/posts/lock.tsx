import { api, dataOf } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { toast } from '../../components/toasts.tsx'
import type { Post } from './post-dialog.tsx'
import { postsTexts } from './texts.ts'

export function LockState({ of: { locked } }: { readonly of: Post }) {
  const t = postsTexts.use()
  return <span class={locked ? 'mark warning' : 'mark'}>{locked ? t.locked : t.open}</span>
}

interface Props {
  readonly of: Post
  /** Called after the answer, also where it is a refusal: the list may show what is no more. */
  readonly onChanged: () => void
}

/** Locks or unlocks a post, which can be taken back. */
export function LockButton({ of: { id, title, locked }, onChanged }: Props) {
  const t = postsTexts.use()

  async function setLock(isLocked: boolean): Promise<void> {
    const params = { path: { id } }
    await dataOf(
      isLocked
        ? api.PUT('/api/admin/posts/{id}/lock', { params })
        : api.DELETE('/api/admin/posts/{id}/lock', { params }),
    ).finally(onChanged)
    toast(isLocked ? t.isLocked(title) : t.isUnlocked(title), {
      undo: () => setLock(!isLocked),
    })
  }

  return (
    <ActionButton kind="quiet" isSmall onClick={() => setLock(!locked)}>
      {locked ? t.unlock : t.lock}
    </ActionButton>
  )
}
