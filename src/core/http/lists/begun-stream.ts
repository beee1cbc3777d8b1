import { Readable } from 'node:stream'

/**
 * Awaits the first text: an early failure still has a status. @throws the error of the first text
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
