import type { ClosedKeys } from '../closed-keys.ts'
import { listedSince } from '../unlisted-erasures.ts'
import { type Findings, generalProblem } from './report.ts'

/** Records or tombstones must list every erased key. */
export interface ClosedKeysCheck {
  /** Authentic lists only. */
  list(lists: ClosedKeys, chain: string): void
  used(name: string, number: number): void
  /**
   * Returns notes. `through`: last record of versions without lists, until a list names the record.
   */
  judge(findings: Findings, through: number): string[]
}

export function createClosedKeysCheck(): ClosedKeysCheck {
  const listed = new Set<string>()
  const unlisted: ClosedKeys['keys'][number][] = []
  let lowest: number | null = null
  // Earlier erasures are listed in one transaction, on one chain.
  const listing = new Set<string>()
  const firsts = new Map<string, number>()

  return {
    list({ keys, through }, chain) {
      if (through !== null) {
        lowest = Math.min(lowest ?? through, through)
        listing.add(chain)
      }
      for (const key of keys) {
        if (key.through === null) listed.add(key.name)
        else unlisted.push(key)
      }
    },

    used(name, number) {
      const first = firsts.get(name)
      if (first === undefined || number < first) firsts.set(name, number)
    },

    judge(findings, through) {
      if (listing.size > 1) {
        const detail = `erasures from before version ${listedSince} were listed more than once: a list was hidden from the service meanwhile`
        findings.add(generalProblem('erasure', detail))
      }
      // Deleting the job's row makes the service write a second list.
      const earlier = new Set(unlisted.flatMap((key) => (key.through === lowest ? key.name : [])))
      const isBefore = (name: string, first: number) =>
        lowest === null ? first <= through : earlier.has(name)
      let before = 0
      for (const [name, number] of firsts) {
        if (listed.has(name)) continue
        if (isBefore(name, number)) before += 1
        else {
          const detail = `the key of a person is gone, and no record of an erasure lists it: record ${number} is the first that it has sealed`
          findings.add({ ...generalProblem('erasure', detail), number })
        }
      }
      const erasures = `${before} ${before === 1 ? 'erasure' : 'erasures'}`
      return before > 0 ? [`${erasures} before version ${listedSince}, without proof`] : []
    },
  }
}
