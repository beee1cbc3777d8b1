import type { MappedFile } from './map.ts'
import type { NumberedMutant } from './mutants.ts'

export interface RankedFile {
  readonly file: string
  readonly cpuMs: number
}

type TestMap = Readonly<Record<string, MappedFile>>

/** CPU time for a fault; one more file may exceed it. */
const maxCpuMs = 4000
/** A file that loads so many files of src starts a service. */
const pathsOfService = 600
/** A line that so few files run may be one of the start of a process. */
const fewFiles = 2

/** Chooses the test files for faults of a subject. */
export class TestChoice {
  readonly #map: Record<string, MappedFile>
  readonly #subject: string
  /** How many faults of a path each test file has killed. */
  readonly #killed = new Map<string, Map<string, number>>()
  /** By path and line: how often each test file runs it. */
  readonly #runs = new Map<string, Map<number, Map<string, number>>>()

  constructor(map: TestMap, subject: string) {
    this.#map = { ...map }
    this.#subject = subject
  }

  /**
   * Order: tests next to the file, then files that run the line most often for their CPU time. If at
   * most two files run the line, files that load the module follow, because the lines of the start of
   * a process are measured for its first test file alone.
   */
  of({ path, line, lastLine }: NumberedMutant): RankedFile[] {
    const byLine = this.#runsOf(path)
    // Of a statement of many lines, as a route, the line that the fewest files run.
    const lines = Array.from({ length: lastLine - line + 1 }, (_, index) => line + index)
    const found = lines.flatMap((one) => byLine.get(one) ?? [])
    const [runs = new Map<string, number>()] = found.toSorted((a, b) => a.size - b.size)
    const ofPath = Object.entries(this.#map).flatMap(([file, { lines: all }]) =>
      all[path] === undefined ? [] : [[file, all[path].length] as const],
    )
    const nextTo = ofPath.filter(([file]) => isNextTo(file, path))
    const others = runs.size > fewFiles ? [] : ofPath
    const files = [nextTo, [...runs], others].flatMap((counts) => this.#byWorth(path, counts))
    let total = 0
    return [...new Set(files)].flatMap((file) => {
      const cpuMs = this.#cpuMsOf(file)
      const isWithin = total <= maxCpuMs
      total += cpuMs
      return isWithin ? [{ file, cpuMs }] : []
    })
  }

  /** Leaves out a test file that fails without a fault. */
  exclude(file: string): void {
    delete this.#map[file]
    this.#runs.clear()
  }

  killed({ path }: NumberedMutant, file: string): void {
    const counts = this.#killed.getOrInsertComputed(path, () => new Map())
    counts.set(file, (counts.get(file) ?? 0) + 1)
  }

  /** A file that loads the modules of the service. */
  get first(): RankedFile {
    const [first] = Object.entries(this.#map)
      .filter(([, { lines }]) => Object.keys(lines).length >= pathsOfService)
      .toSorted(([, a], [, b]) => a.cpuMs - b.cpuMs)
    if (first === undefined) throw new Error('no test in the map starts a service: --map')
    return { file: first[0], cpuMs: first[1].cpuMs }
  }

  #byWorth(path: string, counts: readonly (readonly [string, number])[]): string[] {
    const worthOf = ([file, count]: readonly [string, number]) => {
      const isOwn = file.includes(this.#subject) || isNextTo(file, path)
      const killed = this.#killed.get(path)?.get(file) ?? 0
      // A service runs a line thousands of times, and checks little of it each time.
      const worth = Math.log2(1 + count) * (isOwn ? 10 : 1) * 2 ** killed
      return worth / (this.#cpuMsOf(file) + 100)
    }
    return counts.toSorted((a, b) => worthOf(b) - worthOf(a)).map(([file]) => file)
  }

  #cpuMsOf(file: string): number {
    return this.#map[file]?.cpuMs ?? 0
  }

  #runsOf(path: string): Map<number, Map<string, number>> {
    return this.#runs.getOrInsertComputed(path, () => {
      const byLine = new Map<number, Map<string, number>>()
      for (const [file, { lines }] of Object.entries(this.#map)) {
        for (const [line, count] of lines[path] ?? []) {
          byLine.getOrInsertComputed(line, () => new Map()).set(file, count)
        }
      }
      return byLine
    })
  }
}

/** `src/a/rules.test.ts` and `src/a/rules-order.test.ts` are next to `src/a/rules.ts`. */
function isNextTo(file: string, path: string): boolean {
  return file.startsWith(path.replace(/\.ts$/, ''))
}
