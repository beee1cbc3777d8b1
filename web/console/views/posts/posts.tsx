import { api, dataOf } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { toast } from '../../components/toasts.tsx'
import { hasRole } from '../../session/session.ts'
import { useLoad } from '../../use-load.ts'
import { postsTexts } from './texts.ts'

type Post = Awaited<ReturnType<typeof readPosts>>[number]

/** All posts with their lock state; an administrator locks them. */
export function Posts() {
  const t = postsTexts.use()
  const posts = useLoad('', readPosts)

  async function setLock({ id, title }: Post, isLocked: boolean): Promise<void> {
    const params = { path: { id } }
    await dataOf(
      isLocked
        ? api.PUT('/api/admin/posts/{id}/lock', { params })
        : api.DELETE('/api/admin/posts/{id}/lock', { params }),
    )
    toast(isLocked ? t.isLocked(title) : t.isUnlocked(title))
    posts.reload()
  }

  const columns: Column<Post>[] = [
    { key: 'title', label: t.name, show: ({ title }) => title },
    { key: 'author', label: t.author, show: ({ author }) => author },
    {
      key: 'locked',
      label: t.locked,
      show: (post) =>
        hasRole('ADMIN') ? (
          <ActionButton kind="quiet" isSmall onClick={() => setLock(post, !post.locked)}>
            {post.locked ? t.unlock : t.lock}
          </ActionButton>
        ) : (
          post.locked && t.locked
        ),
    },
  ]
  return (
    <>
      <h1>{t.title}</h1>
      <Loaded from={posts}>
        {(rows) => (
          <DataTable
            caption={t.caption}
            columns={columns}
            rows={rows}
            keyOf={({ id }) => String(id)}
            empty={t.empty}
          />
        )}
      </Loaded>
    </>
  )
}

async function readPosts(signal: AbortSignal) {
  const posts = await dataOf(api.GET('/api/editor/posts', { signal }))
  return Array.isArray(posts) ? posts : posts.data
}
