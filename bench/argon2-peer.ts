import { verify } from '@node-rs/argon2'

// How many passwords the library alone verifies, with so many at once. First it is told what to
// verify, then for how long, as often as one likes.

interface Work {
  readonly hash: string
  readonly password: string
  readonly atOnce: number
}

process.once('message', (message) => {
  const work = message as Work // sent by logins.ts
  process.on('message', async (milliseconds) => {
    process.send?.(await verifyFor(Number(milliseconds), work))
  })
  process.send?.(null)
})
process.once('disconnect', () => process.exit())

/** Verifications per second. */
async function verifyFor(milliseconds: number, { hash, password, atOnce }: Work): Promise<number> {
  const startedAt = performance.now()
  let verified = 0
  const worker = async () => {
    while (performance.now() - startedAt < milliseconds) {
      if (!(await verify(hash, password))) throw new Error('a right password was refused')
      verified += 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return (verified * 1000) / (performance.now() - startedAt)
}
