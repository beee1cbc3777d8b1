import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { parseSync } from 'rolldown/utils'

const root = join(import.meta.dirname, '..')

export interface Import {
  readonly from: string
  /** A path from the root of the repository, or the name of a package. */
  readonly to: string
  readonly typesOnly: boolean
  /** By `import()`: loaded when that runs. */
  readonly isLazy: boolean
}

/** The files of src/ without tests and examples, as paths from the root of the repository. */
export const sources: readonly string[] = globSync('src/**/*.ts', { cwd: root })
  .filter((path) => !/(?:\.test|\/examples)\.ts$/.test(path))
  .sort()

const parsed = sources.map((path) => {
  const text = readFileSync(join(root, path), 'utf8')
  return { path, text, module: parseSync(path, text).module }
})

/** All imports of src/, and exports from other files. */
export const imports: readonly Import[] = parsed.flatMap(({ path: from, text, module }) => {
  const statements = [
    ...module.staticImports.map(({ moduleRequest, entries }) => ({ moduleRequest, entries })),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap((entry) =>
        entry.moduleRequest ? { moduleRequest: entry.moduleRequest, entries: [entry] } : [],
      ),
    ),
  ].map(({ moduleRequest, entries }) => ({
    from,
    to: targetOf(from, moduleRequest.value),
    typesOnly: entries.length > 0 && entries.every(({ isType }) => isType),
    isLazy: false,
  }))
  const lazy = module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
    const to = text.slice(start + 1, end - 1)
    return to.startsWith('.')
      ? { from, to: targetOf(from, to), typesOnly: false, isLazy: true }
      : []
  })
  return [...statements, ...lazy]
})

/** The files that export a name as a value. */
export function exportersOf(name: string): string[] {
  return parsed
    .filter(({ module }) =>
      module.staticExports.some(({ entries }) =>
        entries.some(({ exportName, isType }) => !isType && exportName.name === name),
      ),
    )
    .map(({ path }) => path)
}

/** The files that some files load at once, with themselves, and the packages of those files. */
export function loadedBy(paths: Iterable<string>): { files: Set<string>; packages: Set<string> } {
  const next = Map.groupBy(
    imports.filter(({ typesOnly, isLazy }) => !typesOnly && !isLazy),
    ({ from }) => from,
  )
  const files = new Set(paths)
  const packages = new Set<string>()
  for (const path of files) {
    for (const { to } of next.get(path) ?? []) (to.startsWith('src/') ? files : packages).add(to)
  }
  return { files, packages }
}

function targetOf(from: string, to: string): string {
  return to.startsWith('.') ? normalize(join(dirname(from), to)) : to
}
