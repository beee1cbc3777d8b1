import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config/load.ts'
import { authorize, callerOf } from '../http/routes/access.ts'
import { ifMatch, tagged } from '../http/routes/entity-tag.ts'
import { sendList } from '../http/routes/listing.ts'
import { positiveInteger } from '../http/routes/paging.ts'
import { stillAllowed } from '../http/routes/still-allowed.ts'
import { ListQuery, type SchemaTypes, type Static } from '../http/schemas.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import { isoTime } from '../kernel/clock.ts'
import { ApiError } from '../kernel/errors.ts'
import { postsRules, type Rule, role } from '../policy/rules.ts'
import { type Post, resourceOf } from './post.ts'
import { type AskedOfPost, authorIdOf, type Posts } from './posts.ts'
import { CreatePost, PostBody, PostId, PostList, UpdatePost } from './schemas.ts'

/** Posts room, spec 2.7, 3.4 and 4.3: /api/posts, its lock, and the editors' list. */
export interface PostRoutesOptions {
  readonly config: Pick<Config, 'lists' | 'posts'>
  readonly idempotency: Idempotency
  readonly posts: Posts
}

/** The parameters of a route with an `:id`. */
type WithId = { readonly id: string }

const batchSize = 50 // a post can have 80 kB

export async function postRoutes(
  instance: FastifyInstance,
  { config, idempotency, posts }: PostRoutesOptions,
): Promise<void> {
  const app = instance.withTypeProvider<SchemaTypes>()
  const removeRule = postsRules.remove[config.posts.deletePolicy]
  const listing = {
    count: posts.count,
    slice: async (...part: Parameters<Posts['slice']>) => (await posts.slice(...part)).map(show),
    batchSize,
    pageLimitMax: config.lists.pageLimitMax,
  }

  for (const [path, rule] of [
    ['/api/posts', postsRules.read],
    ['/api/editor/posts', role('EDITOR', 'ADMIN')],
  ] as const) {
    app.get(
      path,
      {
        config: { access: { rule }, query: ListQuery, describes: PostList },
        schema: { summary: 'All posts, or one page of them' },
      },
      (request, reply) => sendList(request, reply, listing),
    )
  }

  app.get(
    '/api/posts/:id',
    {
      config: { access: { rule: postsRules.read }, errors: ['postNotFound'] },
      schema: { summary: 'One post', params: PostId, response: { 200: PostBody } },
    },
    async (request, reply) => tagged(reply, show(found(await byId(request)))),
  )

  app.post(
    '/api/posts',
    {
      config: {
        access: { rule: postsRules.create },
        body: 'json',
        requestHeaders: ['idempotency-key'],
      },
      schema: { summary: 'Create a post', body: CreatePost, response: { 201: PostBody } },
      // Before the body is read: 403 comes before 400.
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
        body: 'json',
        requestHeaders: ['if-match'],
        errors: ['postNotFound'],
      },
      schema: {
        summary: 'Change title, body or both; a locked post is for its author alone',
        params: PostId,
        body: UpdatePost,
        response: { 200: PostBody },
      },
      onRequest: authorizePost,
    },
    async (request, reply) => {
      const { title, body } = request.body
      const asked = askedBy(request, postsRules.update)
      const post = show(await posts.update(idOf(request), { title, body }, asked))
      return tagged(reply, post)
    },
  )

  app.delete(
    '/api/posts/:id',
    {
      config: {
        access: { rule: removeRule },
        requestHeaders: ['if-match'],
        errors: ['postNotFound'],
      },
      schema: { summary: 'Delete a post', params: PostId, response: { 200: PostBody } },
      onRequest: authorizePost,
    },
    async (request) => {
      return show(await posts.remove(idOf(request), askedBy(request, removeRule)))
    },
  )

  for (const [method, locked, summary] of [
    ['PUT', true, 'Lock a post: from then on its author alone can change it'],
    ['DELETE', false, 'Unlock a post'],
  ] as const) {
    app.route({
      method,
      url: '/api/admin/posts/:id/lock',
      config: {
        access: { rule: role('ADMIN') },
        requestHeaders: ['if-match'],
        errors: ['postNotFound'],
      },
      schema: { summary, params: PostId, response: { 200: PostBody } },
      handler: async (request, reply) => {
        const how = { assertWanted: ifMatch(request, show), guard: stillAllowed(request) }
        const post = show(await posts.setLocked(idOf(request), locked, how))
        return tagged(reply, post)
      },
    })
  }

  /** Before the body is read: 403 and 404 come before 400. The statement has the last word. */
  async function authorizePost(request: FastifyRequest): Promise<void> {
    const post = await byId(request)
    authorize(request, resourceOf(post))
    found(post)
  }

  async function byId({ params }: FastifyRequest): Promise<Post | null> {
    const id = positiveInteger((params as WithId).id)
    return id === null ? null : posts.byId(id)
  }
}

/** What the statement asks once more: the lock may have changed meanwhile. */
function askedBy(request: FastifyRequest, rule: Rule): AskedOfPost {
  const assertWanted = ifMatch(request, show)
  return { rule, caller: callerOf(request), assertWanted, guard: stillAllowed(request) }
}

/** A post as callers see it. */
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

function found<T>(thing: T | null): T {
  if (thing === null) throw new ApiError('postNotFound')
  return thing
}

/** @throws ApiError postNotFound where it is no positive integer */
function idOf({ params }: FastifyRequest): number {
  return found(positiveInteger((params as WithId).id))
}
