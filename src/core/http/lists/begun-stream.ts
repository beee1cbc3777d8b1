import { Readable } from 'node:stream'

/**
 * Answers a stream of texts, of which the first is there already: what fails before the answer begins
 * still has a status of its own. @throws what the first text throws
 */
export async function begunStream(texts: AsyncGenerator<string>): Promise<Readable> {
  const first = await texts.next()
  return Readable.from(following(first, texts), { objectMode: false, highWaterMark: 1 })
}

async function* following(
  first: IteratorResult<string>,
  rest: AsyncGenerator<string>,
): AsyncGenerator<string> {
  if (first.done) return
  yield first.value
  yield* rest
}
