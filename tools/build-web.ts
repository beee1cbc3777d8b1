import {
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { InlineConfig, Plugin } from 'vite'
import type { Module } from '../src/core/module/module.ts'
import { modules as ours } from '../src/modules.ts'
import { firstView } from './first-view.ts'
import { foundFiles, pageFolders, scriptsIn } from './found-files.ts'
import { madeModules } from './made-modules.ts'

const root = join(import.meta.dirname, '..')
const web = join(root, 'web')
const dist = join(web, 'dist')
// What most areas of the console need is one file: many small ones would be as many requests.
const sharedParts =
  /\/web\/(?:context\.ts|components\/|console\/(?:api|session(?!\/log-in)|components(?!\/plot))\/|console\/views\/[\w-]+\/(?:area|texts)\.ts$|console\/(?!console\.ts)[\w-]+\.tsx?$)|\/node_modules\/(?:@?preact|preact-iso|openapi-fetch)\//
const manifestName = 'manifest.json'

/** Lets the style sheet of the console import the style sheets of all views by one pattern. */
const importsOfViews: Plugin = {
  name: 'imports-of-views',
  enforce: 'pre',
  transform(code: string, id: string) {
    if (!id.endsWith('/console/console.css')) return null
    return code.replace(/@import "(\.\/[^"]*\*[^"]*)";/g, (_, pattern: string) =>
      globSync(pattern, { cwd: dirname(id) })
        .toSorted()
        .map((path) => `@import "./${path}";`)
        .join('\n'),
    )
  },
}

/** How vite reads `web/` and the pages of modules, for a build and in development. */
export const webOptionsFor = (modules: readonly Module[]) =>
  ({
    configFile: false,
    root: web,
    logLevel: 'warn',
    plugins: [importsOfViews, madeModules(modules), foundFiles(pageFolders(modules))],
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  }) satisfies InlineConfig

/**
 * Makes `web/dist`: `server/server.js`, which renders the pages in the process of the service, and
 * `client/`, what browsers load. @throws Error if vite is not installed, as without the packages of
 * development; what was built before stays
 */
export async function buildWeb(folder = dist, modules = ours): Promise<void> {
  const { build } = await import('vite')
  const half = `${folder}-${process.pid}`
  const environment = process.env.NODE_ENV
  const first = firstView()
  const webOptions = webOptionsFor(modules)
  try {
    await build({
      ...webOptions,
      plugins: [...webOptions.plugins, first.finds],
      // Files name each other by relative addresses: the service serves them below one of its own.
      base: './',
      worker: {
        format: 'es',
        rolldownOptions: { output: { entryFileNames: '[name].js' } },
      },
      build: {
        outDir: join(half, 'client'),
        emptyOutDir: true,
        target: 'es2022',
        cssTarget: ['chrome123', 'firefox120', 'safari17.5'], // which know light-dark()
        modulePreload: false,
        manifest: manifestName,
        rolldownOptions: {
          // The texts of areas are named lazily, and lie in `parts` all the same; a slow machine is no
          // mistake.
          checks: { ineffectiveDynamicImport: false, bundlerTimings: false },
          input: clientFiles(modules),
          output: {
            entryFileNames: '[name].js',
            chunkFileNames: '[name].js',
            assetFileNames: '[name][extname]',
            codeSplitting: { groups: [{ name: 'parts', test: sharedParts }] },
          },
        },
      },
    })
    await build({
      ...webOptions,
      plugins: [first.gets, ...webOptions.plugins],
      ssr: { noExternal: true },
      build: {
        ssr: 'server.tsx',
        emptyOutDir: true,
        outDir: join(half, 'server'),
        target: 'node26',
        rolldownOptions: { output: { entryFileNames: 'server.js' } },
      },
    })
    // Which file was made of which, and loads which others: for tests, and not for browsers.
    renameSync(join(half, 'client', manifestName), join(half, 'built.json'))
    compressIn(join(half, 'client'))
    // What is the same stays, with its time: a bundle of the service is as old as the pages in it.
    if (isSameTree(half, folder)) utimesSync(folder, new Date(), new Date())
    else {
      mkdirSync(folder, { recursive: true })
      rmSync(folder, { recursive: true })
      renameSync(half, folder)
    }
  } finally {
    // vite sets it to production, and what the process starts later would be in production.
    if (environment === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = environment
    rmSync(half, { recursive: true, force: true })
  }
}

/** Puts `x.br` and `x.gz` beside each file x that gets smaller by it. */
function compressIn(folder: string): void {
  for (const name of globSync('*.{js,css,svg}', { cwd: folder })) {
    const content = readFileSync(join(folder, name))
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
    for (const [ending, made] of [
      ['.br', brotliCompressSync(content, { params })],
      ['.gz', gzipSync(content, { level: 9 })],
    ] as const) {
      if (made.length < content.length) writeFileSync(join(folder, name + ending), made)
    }
  }
}

/** Builds where a file of `web/`, or a value of src/ of which it is made, is newer than what was built. */
export async function buildWebIfStale(): Promise<void> {
  const builtAt = statSync(dist, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const isNewer = (path: string) => statSync(resolve(root, path)).mtimeMs > builtAt
  const files = [
    ...globSync('web/**/*.{ts,tsx,css,svg}', {
      cwd: root,
      exclude: ['web/dist/**', 'web/**/*.d.ts'],
    }),
    ...pageFolders(ours).flatMap(({ path, module }) =>
      module === null ? [] : globSync(`${path}/**/*.{ts,tsx}`),
    ),
    ...globSync('src/**/{events,problems,reasons}.ts', { cwd: root }),
    ...globSync('src/core/reasons/*.ts', { cwd: root }),
    'src/core/error-table.ts',
    'src/modules.ts',
    'tools/build-web.ts',
    'tools/first-view.ts',
    'tools/found-files.ts',
    'tools/made-modules.ts',
    'package-lock.json',
  ]
  if (files.some(isNewer)) await buildWeb()
}

/** Whether two folders have the same files, byte for byte. */
function isSameTree(one: string, other: string): boolean {
  const filesOf = (cwd: string) =>
    globSync('**/*.*', { cwd })
      .filter((path) => statSync(join(cwd, path)).isFile())
      .sort()
  const [own, others] = [filesOf(one), filesOf(other)]
  const isSame = (path: string) =>
    readFileSync(join(one, path)).equals(readFileSync(join(other, path)))
  return own.join('\n') === others.join('\n') && own.every(isSame)
}

/** The files that a page loads by their names; what they import gets names of its own. */
function clientFiles(modules: readonly Module[]): Record<string, string> {
  const entries = [
    'client/pages.ts',
    'client/pages.css',
    'console/console.ts',
    'console/console.css',
  ]
  return {
    ...scriptsIn(pageFolders(modules)),
    ...Object.fromEntries(
      entries.map((path) => [basename(path).replace(/\.ts$/, ''), join(web, path)]),
    ),
  }
}

if (import.meta.main) await buildWeb()
