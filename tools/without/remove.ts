import { globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ModuleNames } from '../../src/core/module/module.ts'

/** The names of all extras: the folders of src/extras. */
export function extrasOf(root: string): string[] {
  return readdirSync(join(root, 'src/extras')).toSorted()
}

/** The given modules, and all modules that require one of them, directly or through another. */
export function withDependents(
  given: readonly string[],
  modules: readonly Pick<ModuleNames, 'name' | 'requires'>[],
): string[] {
  const dependents = modules
    .filter(
      ({ name, requires = [] }) =>
        !given.includes(name) && requires.some((one) => given.includes(one)),
    )
    .map(({ name }) => name)
  return dependents.length === 0 ? [...given] : withDependents([...given, ...dependents], modules)
}

/** Deletes the folders of extras and their lines in src/modules.ts; answers what it deleted. */
export function removeExtras(root: string, extras: readonly string[]): string[] {
  const folders = [
    ...extras.flatMap((name) => [`src/extras/${name}`, `web/pages/${name}`]),
    ...(extras.includes('console')
      ? ['web/console/views']
      : [...extras.map((name) => `web/console/views/${name}`), ...viewsOf(root, extras)]),
  ].filter((folder) => globSync(folder, { cwd: root }).length > 0)
  const paths = [...new Set([...folders, ...collectedBy(root, folders)])]
  for (const path of paths) rmSync(join(root, path), { recursive: true, force: true })
  const file = join(root, 'src/modules.ts')
  const source = readFileSync(file, 'utf8')
  const left = extras.reduce(withoutLines, source)
  writeFileSync(file, left)
  return [
    ...paths,
    `${source.split('\n').length - left.split('\n').length} lines of src/modules.ts`,
  ]
}

/** The folders of the console's views that need a module which is removed: see `Area`. */
function viewsOf(root: string, removed: readonly string[]): string[] {
  return globSync('web/console/views/*/area.ts', { cwd: root })
    .filter((file) => {
      const [, needed = ''] =
        /\bmodules: \[([^\]]*)\]/.exec(readFileSync(join(root, file), 'utf8')) ?? []
      return removed.some((name) => needed.includes(`'${name}'`))
    })
    .map((file) => dirname(file))
}

/** The files of other folders that the files of a folder collect, by `found:` or `import.meta.glob`. */
function collectedBy(root: string, folders: readonly string[]): string[] {
  return globSync(
    folders.map((folder) => `${folder}/*.{ts,tsx}`),
    { cwd: root },
  ).flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8')
    return [
      ...source.matchAll(/import\.meta\.glob<.*>\(\s*'(\.\.\/[^']+)'/g),
      ...source.matchAll(/ from 'found:([^']+)'/g),
    ].flatMap(([found, pattern = '']) => {
      const folder = found.includes('found:') ? 'web/pages/**' : dirname(file)
      return globSync(join(folder, pattern), { cwd: root })
    })
  })
}

/** Deletes the import of an extra, and its place in the list. */
export function withoutLines(source: string, extra: string): string {
  const line = new RegExp(
    `^import \\{ module as (\\w+) \\} from '\\./extras/${extra}/module\\.ts'\\n`,
    'm',
  )
  const [, name] = line.exec(source) ?? []
  return name === undefined
    ? source
    : source.replace(line, '').replace(new RegExp(`^ *${name},\\n`, 'm'), '')
}
