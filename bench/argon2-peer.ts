import { verify } from '@node-rs/argon2'

// Measures how many passwords the library itself verifies. The first message says what to verify
// and how many at a time, each further one for how long.

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
