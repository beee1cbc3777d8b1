import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { inTurn, type MakeBatch } from './bulk-answers.ts'
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
// How much text of an answer is in memory at once, but for one item more; in characters.
const maxBatchLength = 65_536
// A page of so small a share of a batch waits for no turn.
const smallShare = 5

/**
 * Answers a list as spec 4.2 has it, with X-Total-Count: without page and limit an array of all items,
 * else the envelope of one page (spec 2.6). What is larger than a batch is streamed, and all but
 * small pages are made in turn with those of others. The array of all, and a page of more than two
 * batches, are refused where too many wait. @throws ApiError serviceUnavailable
 */
export async function sendList<Item extends { readonly id: number }>(
  request: FastifyRequest,
  reply: FastifyReply,
  listing: Listing<Item>,
): Promise<FastifyReply> {
  const judged = { ...listing, slice: forCallersStillAllowed(request, listing.slice) }
  const { batchSize, pageLimitMax } = judged
  const query = request.query as Query // parsed by Fastify
  reply.header('content-type', json)
  if (request.method === 'HEAD') {
    // A stream, so that no length is told: GET would have another. RFC 9110 section 8.6.
    return reply.header('x-total-count', await listing.count()).send(Readable.from([]))
  }
  if (!asksForPage(query)) return sendAll(request, reply, judged)
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
  const items = await readItems(judged, { offset, limit: page.limit }, before, makeBatch)
  if (!items.isWhole()) return reply.send(textStream(items, after))
  return reply.send(Buffer.concat([items.takeFirst(), Buffer.from(after)]))
}

/** A list may be read slowly: what follows the first batch is for a caller who is still allowed. */
function forCallersStillAllowed<Item>(
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
    total ??= await count() // not before there is a place: a refusal asks the database for nothing
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
 * Items as JSON text between `before` and `after`, read in batches by key as fast as the client takes
 * them: memory stays flat, and no query holds the database. A failure midway ends the stream with
 * an error, which ends the connection; the array is never closed as if it were whole.
 */
export async function streamItems<Item extends { readonly id: number }>(
  listing: Pick<Listing<Item>, 'slice' | 'batchSize'>,
  part: { offset: number; limit: number },
  { before, after }: { before: string; after: string },
  makeBatch: MakeBatch = atOnce,
): Promise<Readable> {
  // Before anything is answered: a failure here can still be told.
  return textStream(await readItems(listing, part, before, makeBatch), after)
}

/** A batch that waits for nothing. */
const atOnce: MakeBatch = (work) => work()

/**
 * Items of a list as JSON, the first batch of them read. In bytes at once: text that waits for a
 * client would outlive V8's young generation, and its garbage would be most of the memory of the
 * service.
 */
interface Batches {
  /** Whether the first batch is all there is. */
  isWhole(): boolean
  /** The first batch; it is kept no longer than until it is taken. */
  takeFirst(): Buffer
  /** The batches behind it, each with its comma. */
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

  async function read(separator: string): Promise<Buffer> {
    const asked = Math.min(rows, left)
    const items = await slice(asked, from)
    const { text, count } = textOf(items)
    const last = items[count - 1]
    left -= count
    if (last) from = { afterId: last.id }
    const isCut = count < items.length
    isDone = !isCut && (items.length < asked || left === 0)
    // Items that are large are not read again and again for the few of them that are taken.
    if (isCut) rows = count
    else if (text.length < maxBatchLength / 2) rows = Math.min(2 * rows, batchSize)
    return Buffer.from(count === 0 ? '' : separator + text)
  }

  let first = await makeBatch(async () => Buffer.concat([Buffer.from(before), await read('')]))
  return {
    isWhole: () => isDone,
    takeFirst() {
      const taken = first
      first = nothing
      return taken
    },
    async *rest() {
      while (!isDone) {
        await setImmediate() // a fast client is no reason to let the others wait for the whole list
        const batch = await makeBatch(() => read(','))
        if (batch.length > 0) yield batch
      }
    },
  }
}

const nothing = Buffer.alloc(0)

/** As many items as fit into a batch, one at least, separated by commas. */
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
    yield batches.takeFirst()
    yield* batches.rest()
    yield Buffer.from(after)
  }
  // Nothing is read ahead: of a client that does not read, a batch or two are in memory.
  return Readable.from(pieces(), { objectMode: false, highWaterMark: 1 })
}
