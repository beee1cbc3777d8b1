import { DefinitionList } from '../../../components/data.tsx'
import { api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/openapi.d.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Time } from '../../components/time.tsx'
import { hasRole } from '../../session/session.ts'
import { useLoad } from '../../use-load.ts'
import { LockButton, LockState } from './lock.tsx'
import { postsTexts } from './texts.ts'

export type Post = components['schemas']['Post']

interface Props {
  /** As the address has it. */
  readonly id: string
  readonly onChanged: () => void
  readonly onClose: () => void
}

/** One post to read, as text. */
export function PostDialog({ id, onChanged, onClose }: Props) {
  const t = postsTexts.use()
  const post = useLoad(id, (signal) => {
    const params = { path: { id: Number(id) } }
    return dataOf(api.GET('/api/posts/{id}', { params, signal }))
  })
  const changed = () => {
    post.reload()
    onChanged()
  }
  return (
    <Dialog title={post.data?.title ?? t.post(id)} onClose={onClose}>
      <Loaded from={post}>
        {(shown) => (
          <>
            <DefinitionList
              rows={[
                [t.author, <bdi key="author">{shown.author ?? t.authorGone}</bdi>],
                [t.created, <Time key="created" at={shown.created_at} />],
                [t.updated, <Time key="updated" at={shown.updated_at} />],
                [t.state, <LockState key="state" of={shown} />],
              ]}
            />
            {shown.body === '' ? (
              <p class="muted">{t.noBody}</p>
            ) : (
              <p class="post-body" dir="auto">
                {shown.body}
              </p>
            )}
            {hasRole('ADMIN') && <LockButton of={shown} onChanged={changed} />}
          </>
        )}
      </Loaded>
      <div class="actions">
        <button type="button" class="quiet" onClick={onClose}>
          {t.close}
        </button>
      </div>
    </Dialog>
  )
}
