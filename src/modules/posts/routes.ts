import type { FastifyRequest } from 'fastify'
import { tagged } from '../../core/http/changes/entity-tag.ts'
import { resource } from '../../core/http/changes/resource.ts'
import { sendList } from '../../core/http/lists/listing.ts'
import { positiveInteger } from '../../core/http/lists/paging.ts'
import { mediaTypes } from '../../core/http/media-types.ts'
import { callerOf } from '../../core/http/routes/access.ts'
import { type App, listQuery, type Static } from '../../core/http/schemas.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { type Post, resourceOf } from './post.ts'
import { authorIdOf, type Posts } from './posts.ts'
import { postNotFound } from './problems.ts'
import { postsRules } from './rules.ts'
import { CreatePost, PostBody, PostId, PostList, UpdatePost } from './schemas.ts'

const batchSize = 50 // a post can have 80 kB

/** Spec 2.7, 3.4, 4.3. */
export async function routes(app: App, { config, idempotency, posts }: Needs): Promise<void> {
  const removeRule = postsRules.remove[config.posts.deletePolicy]
  const listing = {
    count: posts.count,
    slice: async (...part: Parameters<Posts['slice']>) => (await posts.slice(...part)).map(show),
    batchSize,
    pageLimitMax: config.lists.pageLimitMax,
  }

  const post = resource<Post>({
    param: 'id',
    missing: postNotFound,
    load(text) {
      const id = positiveInteger(text)
      return id === null ? null : posts.byId(id)
    },
    facts: resourceOf,
    show,
  })

  for (const [path, operationId, rule] of [
    ['/api/posts', 'listPosts', postsRules.read],
    ['/api/editor/posts', 'listPostsAsEditor', role('EDITOR', 'ADMIN')],
  ] as const) {
    app.get(
      path,
      {
        config: {
          access: { rule },
          query: listQuery(config.lists.pageLimitMax),
          answers: { 200: { [mediaTypes.json]: PostList } },
          responseHeaders: ['x-total-count'],
        },
        schema: { operationId, summary: 'All posts, or one page of them' },
      },
      (request, reply) => sendList(request, reply, listing),
    )
  }

  app.get(
    '/api/posts/:id',
    {
      config: {
        access: { rule: postsRules.read },
        resource: post,
        params: PostId,
        responseHeaders: ['etag'],
      },
      schema: {
        operationId: 'getPost',
        summary: 'One post',
        response: { 200: PostBody },
      },
    },
    async (request, reply) => tagged(reply, show(post.of(request))),
  )

  app.post(
    '/api/posts',
    {
      config: {
        access: { rule: postsRules.create },
        body: 'json',
        requestHeaders: ['idempotency-key'],
        responseHeaders: ['etag'],
      },
      schema: {
        operationId: 'createPost',
        summary: 'Create a post',
        body: CreatePost,
        response: { 201: PostBody },
      },
      // 403 before 400.
      onRequest: async (request: FastifyRequest) => void authorIdOf(callerOf(request)),
    },
    async (request, reply) => {
      const { title, body = '' } = request.body
      const { body: made } = await idempotency.once(
        request,
        () => async (trx) => show(await posts.create(trx, { title, body }, callerOf(request))),
      )
      return reply.status(201).send(tagged(reply, made))
    },
  )

  app.put(
    '/api/posts/:id',
    {
      config: {
        access: { rule: postsRules.update },
        resource: post,
        params: PostId,
        body: 'json',
        requestHeaders: ['if-match'],
        responseHeaders: ['etag'],
      },
      schema: {
        operationId: 'updatePost',
        summary: 'Change title, body or both; a locked post is for its author alone',
        body: UpdatePost,
        response: { 200: PostBody },
      },
    },
    async (request, reply) => {
      const { title, body } = request.body
      const asked = { rule: postsRules.update, caller: callerOf(request) }
      const change = { ...post.changeBy(request), ...asked }
      return tagged(reply, show(await posts.update(post.of(request).id, { title, body }, change)))
    },
  )

  app.delete(
    '/api/posts/:id',
    {
      config: {
        access: { rule: removeRule },
        resource: post,
        params: PostId,
        requestHeaders: ['if-match'],
      },
      schema: {
        operationId: 'deletePost',
        summary: 'Delete a post',
        response: { 200: PostBody },
      },
    },
    async (request) => {
      const asked = { rule: removeRule, caller: callerOf(request) }
      const change = { ...post.changeBy(request), ...asked }
      return show(await posts.remove(post.of(request).id, change))
    },
  )

  for (const [method, operationId, locked, summary] of [
    ['PUT', 'lockPost', true, 'Lock a post: from then on its author alone can change it'],
    ['DELETE', 'unlockPost', false, 'Unlock a post'],
  ] as const) {
    app.route({
      method,
      url: '/api/admin/posts/:id/lock',
      config: {
        access: { rule: role('ADMIN') },
        resource: post,
        params: PostId,
        requestHeaders: ['if-match'],
        responseHeaders: ['etag'],
      },
      schema: { operationId, summary, response: { 200: PostBody } },
      handler: async (request, reply) => {
        const { id } = post.of(request)
        return tagged(reply, show(await posts.setLocked(id, locked, post.changeBy(request))))
      },
    })
  }
}

function show(post: Post): Static<typeof PostBody> {
  return {
    id: post.id,
    title: post.title,
    body: post.body,
    author_id: post.authorId,
    author: post.author,
    locked: post.locked,
    created_at: isoTime(post.createdAt),
    updated_at: isoTime(post.updatedAt),
  }
}
