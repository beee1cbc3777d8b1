import { type Challenge, type Solution, solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { type FixedClock, fixedClock } from './clock.ts'

/** A clock that is fixed at the present, because the library reads the system's clock as well. */
export function presentClock(): FixedClock {
  return fixedClock(new Date().toISOString())
}

/** Solves a challenge, as ALTCHA's widget does. */
export async function solved(challenge: Challenge): Promise<Solution> {
  const solution = await solveChallenge({ challenge, deriveKey })
  if (!solution) throw new Error('no solution')
  return solution
}

/** Encodes a solution, as the widget does. */
export function payload(challenge: unknown, solution: unknown): string {
  return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64')
}

export async function solve(challenge: Challenge): Promise<string> {
  return payload(challenge, await solved(challenge))
}
