import type { MappedFile } from './map.ts'

export interface RankedFile {
  readonly file: string
  readonly cpuMs: number
}

type TestMap = Readonly<Record<string, MappedFile>>

/** CPU time for a fault; one more file may exceed it. */
const maxCpuMs = 4000
/** A file that loads so many files of src starts a service. */
const pathsOfService = 600

/**
 * The test files for a fault: those that run its line, or that run its file if the line runs at the
 * start of a process alone. First what runs the line often for its time, what is named after the
 * subject, and what has noticed other faults of the file.
 */
export function testsOf(
  { path, line }: { readonly path: string; readonly line: number },
  {
    map,
    name,
    noticing,
  }: {
    readonly map: TestMap
    readonly name: string
    /** How many faults a test file has noticed, by `noticingKey`. */
    readonly noticing: ReadonlyMap<string, number>
  },
): RankedFile[] {
  const ofPath = Object.entries(map).flatMap(([file, { lines, cpuMs }]) => {
    const counts = lines[path]
    if (counts === undefined) return []
    const isOwn = file.includes(name) || file === path.replace(/\.ts$/, '.test.ts')
    const weight = (isOwn ? 10 : 1) * 2 ** (noticing.get(noticingKey(path, file)) ?? 0)
    const runs = counts.find(([number]) => number === line)?.[1] ?? 0
    return [{ file, cpuMs, runs, worth: (weight * (runs || counts.length)) / (cpuMs + 100) }]
  })
  const ofLine = ofPath.filter(({ runs }) => runs > 0)
  // A line of the start of a process was counted for the first file of each process alone.
  const others = ofLine.length > 2 ? [] : ofPath.filter(({ runs }) => runs === 0)
  const byWorth = (files: typeof ofPath) => files.toSorted((a, b) => b.worth - a.worth)
  let total = 0
  return [...byWorth(ofLine), ...byWorth(others)].filter(({ cpuMs }) => {
    const isWithin = total <= maxCpuMs
    total += cpuMs
    return isWithin
  })
}

/** Loads the modules of the service. */
export function warmUp(map: TestMap): RankedFile {
  const [first] = Object.entries(map)
    .filter(([, { lines }]) => Object.keys(lines).length >= pathsOfService)
    .toSorted(([, a], [, b]) => a.cpuMs - b.cpuMs)
  if (first === undefined) throw new Error('no test in the map starts a service: --map')
  return { file: first[0], cpuMs: first[1].cpuMs }
}

export function noticingKey(path: string, file: string): string {
  return `${path} ${file}`
}
