import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { asksForPage, offsetOf, parsePage, type Query } from './paging.ts'

/** Where a slice begins: so many items in, or behind an id, which costs the same at any depth. */
export type SliceStart = { readonly offset: number } | { readonly afterId: number }

/** Answers up to `limit` items in id order. */
export type ReadSlice<Item> = (limit: number, from: SliceStart) => Promise<Item[]>

/** A list that may be of any length. */
export interface Listing<Item extends { readonly id: number }> {
  /** How many items there are; costs the same at any number. */
  count(): Promise<number>
  /** The items as they are shown. */
  readonly slice: ReadSlice<Item>
  /** How many are in memory at once. */
  readonly batchSize: number
  /** Caps the limit of a page; 0: no cap. */
  readonly pageLimitMax: number
}

const json = 'application/json; charset=utf-8'

/**
 * Answers a list as spec 4.2 has it, with X-Total-Count: without page and limit an array of all items,
 * else the envelope of one page (spec 2.6). What is larger than a batch is streamed.
 */
export async function sendList<Item extends { readonly id: number }>(
  request: FastifyRequest,
  reply: FastifyReply,
  listing: Listing<Item>,
): Promise<FastifyReply> {
  const { slice, batchSize, pageLimitMax } = listing
  const batches: Pick<Listing<Item>, 'slice' | 'batchSize'> = {
    batchSize,
    async slice(limit, from) {
      const items = await slice(limit, from)
      // A list may be read slowly: what follows the first batch is for a caller who is still allowed.
      if ('afterId' in from) await request.guard?.now()
      return items
    },
  }
  const query = request.query as Query // parsed by Fastify
  const total = await listing.count()
  reply.header('content-type', json).header('x-total-count', total)
  // A stream, so that no length is told: GET would have another. RFC 9110 section 8.6.
  if (request.method === 'HEAD') return reply.send(Readable.from([]))
  if (!asksForPage(query)) {
    const all = { offset: 0, limit: Number.POSITIVE_INFINITY }
    return reply.send(await streamItems(batches, all, { before: '[', after: ']' }))
  }
  const page = parsePage(query, pageLimitMax)
  const offset = offsetOf(page, total)
  if (page.limit <= batchSize || offset >= total) {
    const data = offset >= total ? [] : await slice(page.limit, { offset })
    return reply.send(JSON.stringify({ ...page, total, data }))
  }
  // A page of any size is whole, and in no memory at once.
  const before = `${JSON.stringify({ ...page, total }).slice(0, -1)},"data":[`
  const part = { offset, limit: page.limit }
  return reply.send(await streamItems(batches, part, { before, after: ']}' }))
}

/**
 * Items as JSON text between `before` and `after`, read in batches by key as fast as the client takes
 * them: memory stays flat, and no query holds the database. A failure midway ends the stream with
 * an error, which ends the connection; the array is never closed as if it were whole.
 */
export async function streamItems<Item extends { readonly id: number }>(
  { slice, batchSize }: Pick<Listing<Item>, 'slice' | 'batchSize'>,
  { offset, limit }: { offset: number; limit: number },
  { before, after }: { before: string; after: string },
): Promise<Readable> {
  // Before anything is answered: a failure here can still be told.
  let batch = await slice(Math.min(batchSize, limit), { offset })

  async function* text(): AsyncGenerator<string> {
    yield before
    let left = limit
    let separator = ''
    while (batch.length > 0) {
      yield separator + batch.map((item) => JSON.stringify(item)).join(',')
      separator = ','
      left -= batch.length
      const last = batch.at(-1)
      if (left <= 0 || !last) break
      await setImmediate() // a fast client is no reason to let the others wait for the whole list
      batch = await slice(Math.min(batchSize, left), { afterId: last.id })
    }
    yield after
  }
  return Readable.from(text(), { objectMode: false, highWaterMark: 65_536 })
}
