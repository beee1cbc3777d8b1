import type { ClosedKeys } from '../closed-keys.ts'
import { listedSince } from '../unlisted-erasures.ts'
import { type Findings, generalProblem } from './report.ts'

/** Judges the keys of persons that are gone: each must be in a list that records or tombstones hold. */
export interface ClosedKeysCheck {
  /** Takes the lists of a record or a tombstone of a chain that was found to be authentic. */
  list(lists: ClosedKeys, chain: string): void
  /** A record has been sealed under a key that is gone. */
  used(name: string, number: number): void
  /**
   * Adds what is wrong. `through`: the last record from before erasures were listed, which counts as
   * long as no list tells it. Answers notes.
   */
  judge(findings: Findings, through: number): string[]
}

export function createClosedKeysCheck(): ClosedKeysCheck {
  const listed = new Set<string>()
  const unlisted: ClosedKeys['keys'][number][] = []
  let lowest: number | null = null
  // One process lists the erasures from before, in one transaction and so on one chain.
  const listing = new Set<string>()
  // The first record of each key that is gone.
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
      // A second list can be had by who removes the row that says up to where the first one goes.
      const told = new Set(unlisted.flatMap((key) => (key.through === lowest ? key.name : [])))
      const isBefore = (name: string, first: number) =>
        lowest === null ? first <= through : told.has(name)
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
