import { type Challenge, solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2'

// Takes a challenge and answers its solution, or null: src/modules/throttle/captcha.ts verifies it.
addEventListener('message', async ({ data }: MessageEvent<Challenge>) => {
  try {
    postMessage(await solveChallenge({ challenge: data, deriveKey }))
  } catch {
    postMessage(null)
  }
})
