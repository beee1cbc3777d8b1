import { api, dataOf } from '../../api/client.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Pager, pageOf } from '../../components/pager.tsx'
import { Time } from '../../components/time.tsx'
import { hasRole } from '../../session/session.ts'
import { useAddress } from '../../use-address.ts'
import { useLoad } from '../../use-load.ts'
import { LockButton, LockState } from './lock.tsx'
import { type Post, PostDialog } from './post-dialog.tsx'
import { postsTexts } from './texts.ts'

const perPage = 25

/** All posts with their lock state, a page at a time; an administrator locks them. */
export function Posts() {
  const t = postsTexts.use()
  const { path, fields, change } = useAddress()
  const page = pageOf(fields)
  const opened = fields.post ?? ''
  const posts = useLoad(String(page), (signal) => readPosts(page, signal))
  const hrefOf = ({ id }: Post) =>
    `${path}?${new URLSearchParams({ ...fields, post: String(id) }).toString()}`

  const columns: Column<Post>[] = [
    {
      key: 'title',
      label: t.name,
      show: (post) => (
        <a class="cut" href={hrefOf(post)} title={post.title}>
          <bdi>{post.title}</bdi>
        </a>
      ),
    },
    { key: 'author', label: t.author, show: (post) => <Author of={post} /> },
    { key: 'created', label: t.created, show: ({ created_at }) => <Time at={created_at} /> },
    { key: 'updated', label: t.updated, show: ({ updated_at }) => <Time at={updated_at} /> },
    { key: 'locked', label: t.state, show: (post) => <LockState of={post} /> },
    ...(hasRole('ADMIN')
      ? [
          {
            key: 'actions',
            label: t.actions,
            show: (post: Post) => <LockButton of={post} onChanged={posts.reload} />,
          },
        ]
      : []),
  ]
  return (
    <>
      <h1>{t.title}</h1>
      <p class="muted">{hasRole('ADMIN') ? t.hintOfAdministrator : t.hintOfEditor}</p>
      <Loaded from={posts}>
        {({ data, limit, total }) => (
          <>
            <DataTable
              caption={t.caption}
              columns={columns}
              rows={data}
              keyOf={({ id }) => String(id)}
              empty={<p>{total === 0 ? t.empty : t.emptyPage}</p>}
            />
            <Pager page={page} limit={limit} total={total} />
          </>
        )}
      </Loaded>
      {opened !== '' && (
        <PostDialog
          key={opened}
          id={opened}
          onChanged={posts.reload}
          onClose={() => change({ post: '' })}
        />
      )}
    </>
  )
}

function Author({ of: { author, author_id } }: { readonly of: Post }) {
  const t = postsTexts.use()
  if (author !== null) return <bdi class="cut">{author}</bdi>
  return <span class="muted">{author_id === null ? t.authorGone : t.user(author_id)}</span>
}

async function readPosts(page: number, signal: AbortSignal) {
  const query = { page, limit: perPage }
  const posts = await dataOf(api.GET('/api/editor/posts', { params: { query }, signal }))
  // With `page` it is always a page; the type of the API has the whole list too.
  if (!Array.isArray(posts)) return posts
  return { page, limit: posts.length, total: posts.length, data: posts }
}
