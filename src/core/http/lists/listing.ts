import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { contentTypes } from '../media-types.ts'
import { inTurn, type MakeBatch } from './bulk-answers.ts'
import { asksForPage, offsetOf, parsePage, type Query } from './paging.ts'

/** An offset, or a preceding id (constant cost at any depth). */
export type SliceStart = { readonly offset: number } | { readonly afterId: number }

/** In id order. */
export type ReadSlice<Item> = (limit: number, from: SliceStart) => Promise<Item[]>

/** A list of any length. */
export interface Listing<Item extends { readonly id: number }> {
  /** Constant cost. */
  count(): Promise<number>
  /** Items as in the response. */
  readonly slice: ReadSlice<Item>
  /** Items in memory at once. */
  readonly batchSize: number
  /** Maximum `limit`; 0: none. */
  readonly pageLimitMax: number
}

// Characters in memory at once, plus the last item.
const maxBatchLength = 65_536
// Pages up to this fraction of a batch skip the queue.
const smallShare = 5

/**
 * Sends X-Total-Count and an array, or with `page` or `limit` an envelope (spec 2.6, 4.2). Large
 * responses are streamed; batches wait in the bulk queue, except small pages. If the queue is full,
 * arrays and pages over two batches fail. @throws ApiError serviceUnavailable
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
    // A stream omits Content-Length, as GET does. RFC 9110 section 8.6.
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
  return reply.send(isSmall ? text : Buffer.from(text)) // Node sends texts together with the header
}

/** Reauthorizes between batches, because clients may read slowly. */
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
    total ??= await count() // inside the queue: rejected requests cost no query
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
 * Reads batches by key on demand: constant memory, short queries. A late failure closes the
 * connection; a partial array is never complete JSON.
 */
export async function streamItems<Item extends { readonly id: number }>(
  listing: Pick<Listing<Item>, 'slice' | 'batchSize'>,
  part: { offset: number; limit: number },
  { before, after }: { before: string; after: string },
  makeBatch: MakeBatch = atOnce,
): Promise<Readable> {
  // Reads the first batch before the response, so that a failure has a status.
  return textStream(await readItems(listing, part, before, makeBatch), after)
}

/** Bypasses the queue. */
const atOnce: MakeBatch = (work) => work()

/**
 * JSON batches. Waiting batches are bytes: texts would outlive V8's young generation and dominate
 * memory.
 */
interface Batches {
  /** All items are in the first batch. */
  isComplete(): boolean
  /** Releases the first batch. */
  takeFirst(): string
  /** Each with a leading comma. */
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
    // Large items: read fewer rows, to avoid repeated reads.
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
        await setImmediate() // serves other requests between batches
        const batch = await makeBatch(() => read(','))
        if (batch !== '') yield Buffer.from(batch)
      }
    },
  }
}

/** As many items as fit, at least one. */
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
  // No read-ahead: at most two batches in memory per stalled client.
  return Readable.from(pieces(), { objectMode: false, highWaterMark: 1 })
}
