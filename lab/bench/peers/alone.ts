import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { promisify } from 'node:util'
import { verify as verifyPassword } from '@node-rs/argon2'

// Cryptographic work alone, without a server. The first message says which and how much at a time,
// each further one for how many milliseconds; the answer is how often it was done.

export interface Work {
  /** `login`: a password verified and a token signed, on the thread pool. */
  readonly kind: 'login' | 'sign' | 'verify'
  readonly atOnce: number
  /** PEM, RSA. */
  readonly privateKey: string
  /** Argon2id. */
  readonly hash: string
  readonly password: string
}

/** The size of the signed part of an access token of the service. */
const bytes = Buffer.alloc(520, 'a')
type Done = { readonly count: number; readonly seconds: number }

const signLater = promisify(sign)

process.once('message', (message) => {
  const work = message as Work
  const once = taskOf(work)
  process.on('message', async (milliseconds) => {
    process.send?.(await repeat(Number(milliseconds), work.atOnce, once))
  })
  process.send?.({})
})
process.once('disconnect', () => process.exit())

function taskOf({ kind, privateKey, hash, password }: Work): () => unknown {
  const key = createPrivateKey(privateKey)
  const publicKey = createPublicKey(privateKey)
  const signature = sign('sha256', bytes, key)
  const signOnce = () => signLater('sha256', bytes, key)
  // On this thread, as the service does.
  if (kind === 'verify') return () => verify('sha256', bytes, publicKey, signature)
  if (kind === 'sign') return signOnce
  return async () => {
    if (!(await verifyPassword(hash, password))) throw new Error('a right password was refused')
    await signOnce()
  }
}

async function repeat(milliseconds: number, atOnce: number, once: () => unknown): Promise<Done> {
  const startedAt = performance.now()
  const endsAt = startedAt + milliseconds
  let done = 0
  const worker = async () => {
    while (performance.now() < endsAt) {
      await once()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return { count: done, seconds: (performance.now() - startedAt) / 1000 }
}
