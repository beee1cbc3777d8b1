import { globSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Plugin } from 'vite'
import type { Module } from '../src/core/module/module.ts'

const prefix = '\0found:'
const own = join(import.meta.dirname, '../web/pages')
const scriptName = 'script.ts'

/** Where the pages of modules are: ours in `web/pages`, those of a module from outside with the module. */
export type PageFolders = readonly { readonly path: string; readonly module: string | null }[]

export function pageFolders(modules: readonly Pick<Module, 'name' | 'web'>[]): PageFolders {
  const outside = modules.flatMap(({ name, web }) => (web ? [{ path: web, module: name }] : []))
  return [{ path: own, module: null }, ...outside]
}

/** Makes the modules `found:NAME`: what the files of a name export, of all folders of pages. */
export function foundFiles(folders: PageFolders): Plugin {
  return {
    name: 'files found in the folders of pages',
    resolveId: (id) => (id.startsWith('found:') ? `\0${id}` : null),
    load(id) {
      if (!id.startsWith(prefix)) return null
      const name = id.slice(prefix.length)
      const paths = folders.flatMap(({ path }) => pathsIn(path, `**/${name}`))
      const imports = paths.map((path, at) => `import * as f${at} from ${JSON.stringify(path)}\n`)
      return `${imports.join('')}export const files = [${paths.map((_, at) => `f${at}`)}]`
    },
  }
}

/**
 * The scripts of the folders of pages, each a file of its own with the name of its folder or, in a
 * module from outside, of the module. @throws Error if two have the same name
 */
export function scriptsIn(folders: PageFolders): Record<string, string> {
  const scripts: Record<string, string> = {}
  for (const { path, module } of folders) {
    for (const script of pathsIn(path, module === null ? `*/${scriptName}` : scriptName)) {
      const name = module ?? basename(dirname(script))
      if (scripts[name]) throw new Error(`${scripts[name]} and ${script} are both ${name}.js`)
      scripts[name] = script
    }
  }
  return scripts
}

function pathsIn(folder: string, pattern: string): string[] {
  return globSync(pattern, { cwd: folder })
    .sort()
    .map((path) => join(folder, path))
}
