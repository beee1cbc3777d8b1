import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { contentTypes } from '../media-types.ts'
import { inTurn, type MakeBatch } from './bulk-answers.ts'
import { asksForPage, offsetOf, parsePage, type Query } from './paging.ts'

/** The start of a slice: an offset, or an id to start after, which costs the same at any depth. */
export type SliceStart = { readonly offset: number } | { readonly afterId: number }

/** Answers up to `limit` items in id order. */
export type ReadSlice<Item> = (limit: number, from: SliceStart) => Promise<Item[]>

/** A list that may be of any length. */
export interface Listing<Item extends { readonly id: number }> {
  /** Counts all items; costs the same at any number. */
  count(): Promise<number>
  /** Reads items in the form of the answer. */
  readonly slice: ReadSlice<Item>
  /** How many items are in memory at once. */
  readonly batchSize: number
  /** The maximum `limit` of a page; 0: no maximum. */
  readonly pageLimitMax: number
}

// How much text of an answer is in memory at once, in characters; the last item may exceed it.
const maxBatchLength = 65_536
// A page of at most this fraction of a batch does not wait in the queue.
const smallShare = 5

/**
 * Answers a list (spec 4.2) with X-Total-Count: without `page` and `limit` an array of all items,
 * otherwise the envelope of one page (spec 2.6). An answer larger than a batch is streamed. Except
 * for small pages, batches wait in the queue of all bulk answers. If too many wait, an array of all
 * items and a page of more than two batches are refused. @throws ApiError serviceUnavailable
 */
export async function sendList<Item extends { readonly id: number }>(
  request: FastifyRequest,
  reply: FastifyReply,
  listing: Listing<Item>,
): Promise<FastifyReply> {
  const reauthorizing = { ...listing, slice: withReauthorization(request, listing.slice) }
  const { batchSize, pageLimitMax } = reauthorizing
  const query = request.query as Query // parsed by Fastify
  reply.header('content-type', contentTypes.json)
  if (request.method === 'HEAD') {
    // A stream omits Content-Length, which must be that of GET. RFC 9110 section 8.6.
    return reply.header('x-total-count', await listing.count()).send(Readable.from([]))
  }
  if (!asksForPage(query)) return sendAll(request, reply, reauthorizing)
  const total = await listing.count()
  reply.header('x-total-count', total)
  const page = parsePage(query, pageLimitMax)
  const offset = offsetOf(page, total)
  const rows = Math.min(page.limit, total - offset)
  if (rows === 0) return reply.send(JSON.stringify({ ...page, total, data: [] }))
  const isSmall = rows <= batchSize / smallShare
  const makeBatch = isSmall
    ? atOnce
    : inTurn(request, reply, { mayBeRefused: rows > 2 * batchSize })
  const before = `${JSON.stringify({ ...page, total }).slice(0, -1)},"data":[`
  const after = ']}'
  const items = await readItems(reauthorizing, { offset, limit: page.limit }, before, makeBatch)
  if (!items.isComplete()) return reply.send(textStream(items, after))
  const text = items.takeFirst() + after
  return reply.send(isSmall ? text : Buffer.from(text)) // Node sends a text together with its header
}

/** Reauthorizes the caller for each batch after the first, because a client may read slowly. */
function withReauthorization<Item>(
  request: FastifyRequest,
  slice: ReadSlice<Item>,
): ReadSlice<Item> {
  return async (limit, from) => {
    const items = await slice(limit, from)
    if ('afterId' in from) await request.guard?.now()
    return items
  }
}

async function sendAll<Item extends { readonly id: number }>(
  request: FastifyRequest,
  reply: FastifyReply,
  { count, slice, batchSize }: Listing<Item>,
): Promise<FastifyReply> {
  let total: number | undefined
  const countedFirst: ReadSlice<Item> = async (limit, from) => {
    total ??= await count() // inside the queue, so that a refused request costs no query
    return slice(limit, from)
  }
  const stream = await streamItems(
    { slice: countedFirst, batchSize },
    { offset: 0, limit: Number.POSITIVE_INFINITY },
    { before: '[', after: ']' },
    inTurn(request, reply, { mayBeRefused: true }),
  )
  return reply.header('x-total-count', total).send(stream)
}

/**
 * Streams items as JSON text between `before` and `after`. It reads batches by key as the client
 * takes them, so that memory is constant and queries are short. A failure after the start ends the
 * stream with an error, which closes the connection: a partial array is never complete JSON.
 */
export async function streamItems<Item extends { readonly id: number }>(
  listing: Pick<Listing<Item>, 'slice' | 'batchSize'>,
  part: { offset: number; limit: number },
  { before, after }: { before: string; after: string },
  makeBatch: MakeBatch = atOnce,
): Promise<Readable> {
  // The first batch is read before the answer begins, so that its failure has a status.
  return textStream(await readItems(listing, part, before, makeBatch), after)
}

/** Reads a batch without the queue. */
const atOnce: MakeBatch = (work) => work()

/**
 * The batches of a list as JSON, of which the first was read. Those that wait for a client are
 * bytes, because texts would outlive V8's young generation and use most of the service's memory.
 */
interface Batches {
  /** Whether the first batch holds all items. */
  isComplete(): boolean
  /** Answers the first batch, and releases it. */
  takeFirst(): string
  /** Reads the other batches, each with a leading comma. */
  rest(): AsyncGenerator<Buffer>
}

async function readItems<Item extends { readonly id: number }>(
  { slice, batchSize }: Pick<Listing<Item>, 'slice' | 'batchSize'>,
  { offset, limit }: { offset: number; limit: number },
  before: string,
  makeBatch: MakeBatch,
): Promise<Batches> {
  let from: SliceStart = { offset }
  let left = limit
  let rows = batchSize
  let isDone = false

  async function read(separator: string): Promise<string> {
    const asked = Math.min(rows, left)
    const items = await slice(asked, from)
    const { text, count } = textOf(items)
    const last = items[count - 1]
    left -= count
    if (last) from = { afterId: last.id }
    const isCut = count < items.length
    isDone = !isCut && (items.length < asked || left === 0)
    // For large items the next batches read fewer rows, so that few are read twice.
    if (isCut) rows = count
    else if (text.length < maxBatchLength / 2) rows = Math.min(2 * rows, batchSize)
    return count === 0 ? '' : separator + text
  }

  let first = await makeBatch(async () => before + (await read('')))
  return {
    isComplete: () => isDone,
    takeFirst() {
      const taken = first
      first = ''
      return taken
    },
    async *rest() {
      while (!isDone) {
        await setImmediate() // lets other requests run, also if this client reads fast
        const batch = await makeBatch(() => read(','))
        if (batch !== '') yield Buffer.from(batch)
      }
    },
  }
}

/** Joins as many items as fit into a batch, at least one, by commas. */
function textOf(items: readonly unknown[]): { text: string; count: number } {
  const texts: string[] = []
  let length = 0
  for (const item of items) {
    if (length >= maxBatchLength) break
    const text = JSON.stringify(item)
    texts.push(text)
    length += text.length
  }
  return { text: texts.join(','), count: texts.length }
}

function textStream(batches: Batches, after: string): Readable {
  async function* pieces(): AsyncGenerator<Buffer> {
    yield Buffer.from(batches.takeFirst())
    yield* batches.rest()
    yield Buffer.from(after)
  }
  // No read-ahead: for a client that does not read, at most two batches are in memory.
  return Readable.from(pieces(), { objectMode: false, highWaterMark: 1 })
}
