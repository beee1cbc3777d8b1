import type { MappedFile } from './map.ts'

export interface RankedFile {
  readonly file: string
  readonly cpuMs: number
}

type TestMap = Readonly<Record<string, MappedFile>>

/** Files that run the line often for their time, and files that run it most often. */
const [maxQuick, maxThorough] = [6, 6]
/** A file that loads so many files of src starts a service. */
const pathsOfService = 600

/**
 * The test files for a fault: those that run its line, or that run its file if the line runs at the
 * start of a process alone. First what is named after the subject, and what has noticed other faults
 * of the file.
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
    return [{ file, cpuMs, weight, lines: counts.length, runs }]
  })
  const ofLine = ofPath.filter(({ runs }) => runs > 0)
  // A line of the start of a process was counted for the first file of each process alone.
  const chosen = (ofLine.length > 2 ? ofLine : ofPath).map((one) => ({
    ...one,
    value: (ofLine.length > 2 ? one.runs : one.lines) * one.weight,
  }))
  const quick = chosen
    .toSorted((a, b) => b.value / (b.cpuMs + 100) - a.value / (a.cpuMs + 100))
    .slice(0, maxQuick)
  const thorough = chosen
    .filter((one) => !quick.includes(one))
    .toSorted((a, b) => b.value - a.value)
    .slice(0, maxThorough)
    .toSorted((a, b) => a.cpuMs - b.cpuMs)
  return [...quick, ...thorough]
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
