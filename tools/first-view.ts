import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Plugin, Rolldown } from 'vite'
import { type Language, languages } from '../src/core/lib/languages.ts'

const web = join(import.meta.dirname, '../web')
const entry = 'console/console.ts'
const frameTexts = 'console/frame-texts.ts'
const overview = 'console/views/overview/area.ts'
const made = 'made:first-view'

type Bundle = Readonly<Record<string, Rolldown.OutputAsset | Rolldown.OutputChunk>>
type Graph = Pick<Rolldown.PluginContext, 'getModuleInfo'>

/**
 * The build for browsers finds the files that the console loads first. The build for the service
 * imports the list as `made:first-view`, for the page of the console. Type: web/console/made.d.ts.
 */
export function firstView(): { readonly finds: Plugin; readonly gets: Plugin } {
  let found: object | undefined
  return {
    finds: {
      name: 'finds the first view',
      async generateBundle(_, bundle) {
        const filesFrom = (source: string) =>
          Object.fromEntries(languages.map((one) => [one, filesOf(source, one, bundle, this)]))
        const { area } = existsSync(join(web, overview)) ? await import(join(web, overview)) : {}
        const { path, roles, reads = [] } = area ?? {}
        found = {
          frameFiles: filesFrom(frameTexts),
          overview: area ? { path, roles, reads, files: filesFrom(overview) } : null,
        }
      },
    },
    gets: {
      name: 'gets the first view',
      resolveId: (id) => (id === made ? `\0${made}` : null),
      load: (id) => {
        if (id !== `\0${made}`) return null
        return Object.entries(found ?? {})
          .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}`)
          .join('\n')
      },
    },
  }
}

/** The files of the dynamic imports of a module and its imports, in one language, with their imports. */
function filesOf(source: string, language: Language, bundle: Bundle, graph: Graph): string[] {
  const modules = new Set([join(web, source)])
  const loaded = new Set([join(web, entry)])
  const others = languages.filter((one) => one !== language)
  for (const id of modules) {
    const info = graph.getModuleInfo(id)
    for (const one of info?.importedIds ?? []) modules.add(one)
    for (const one of info?.dynamicallyImportedIds ?? []) {
      if (!others.some((other) => isTextOf(other, relative(web, one)))) loaded.add(one)
    }
  }
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
  const files = new Set<string>()
  for (const id of loaded) {
    const chunk = chunks.find(({ moduleIds }) => moduleIds.includes(id))
    if (chunk) files.add(chunk.fileName)
  }
  for (const file of files) {
    for (const one of chunks.find(({ fileName }) => fileName === file)?.imports ?? []) {
      files.add(one)
    }
  }
  return [...files].filter((file) => bundle[file]?.name !== 'console')
}

/** Whether a module, by its path from `web`, has the texts of a language. */
export function isTextOf(language: Language, path: string): boolean {
  return new RegExp(`/${language}(?:/|\\.ts$)|made:.*-${language}$`).test(path)
}
