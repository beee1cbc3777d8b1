import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** A row of a table whose last column names code, as files or as folders that end with `/`. */
export interface InventoryRow {
  readonly text: string
  readonly paths: readonly string[]
}

/** A file of the program, without its imports of types. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

const typesAlone = /^import (?:type )?\{(?: *type \w+,?)* *\} from '[^']+'$|^import type .*$/gm

/** The files of the program whose code fits a pattern. */
export function sourceFiles(pattern: RegExp, folders = 'src'): SourceFile[] {
  return globSync(`${folders}/**/*.{ts,tsx}`, { cwd: root })
    .filter((path) => !/\.test\.ts$|\.d\.ts$|\/examples\.ts$|\/(?:dist|node_modules)\//.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8').replace(typesAlone, '') }))
    .filter(({ text }) => pattern.test(text))
}

/** The rows of the tables below a heading of a document. */
export function inventory(document: string, heading: string): InventoryRow[] {
  const [, section = ''] = readFileSync(join(root, document), 'utf8').split(`\n## ${heading}\n`)
  return [...(section.split('\n## ')[0] ?? '').matchAll(/^\|(.+)\|([^|]+)\|$/gm)]
    .map(([, text = '', code = '']) => ({
      text,
      paths: [...code.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
    }))
    .filter(({ paths }) => paths.length > 0)
}

export function rowsOf(rows: readonly InventoryRow[], path: string): InventoryRow[] {
  return rows.filter(({ paths }) => paths.some((one) => isWithin(path, one)))
}

/** Files without a row, and rows that name code that is gone or does not do so. */
export function gapsOf(rows: readonly InventoryRow[], files: readonly SourceFile[]): string[] {
  const unlisted = files.filter(({ path }) => rowsOf(rows, path).length === 0)
  const named = rows.flatMap(({ paths }) => paths)
  const idle = named.filter(
    (one) => !existsSync(join(root, one)) || !files.some(({ path }) => isWithin(path, one)),
  )
  return [
    ...unlisted.map(({ path }) => `${path} has no row`),
    ...idle.map((one) => `${one} is idle`),
  ]
}

function isWithin(path: string, fileOrFolder: string): boolean {
  return path === fileOrFolder || (fileOrFolder.endsWith('/') && path.startsWith(fileOrFolder))
}
