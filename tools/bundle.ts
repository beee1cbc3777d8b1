import { cpSync, globSync, rmSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import type { Input } from '../src/cli/bundle.ts'
import { filesBesideCode } from './build.ts'
import { buildWeb } from './build-web.ts'

const root = join(import.meta.dirname, '..')
const sources = join(root, 'src/')

/** The files that are entered from outside, by a path. */
const entries = [
  ...['main.ts', 'start.ts', 'test-service.ts', 'testing.ts', 'cli/main.ts', 'cli/run.ts'],
  ...globSync('**/*-thread.ts', { cwd: sources }),
]

/** What Fastify and we require where it is needed, and a start needs none of it. */
const loadedLater =
  /\/node_modules\/(?:light-my-request|punycode|tr46|@fastify\/(?:ajv|fast-json-stringify)-compiler)\//

/** What a module.ts loads for commands, for the doctor, for documents, or to export traces. */
const isNotOfStart =
  /(?:\/cli\/commands\/.*|\b(?:commands|command|checks|describe)|\/tracing\/packages)\.ts$/

/** A process that is alone loads neither. */
const loadsCluster = /\/workers\/(?:primary|join)\.ts$/

/**
 * Writes the service and its dependencies, as they are installed, as few files into the folder `dist`,
 * laid out as `npm run build` does it. A start loads three of them where the sources are 800: that
 * halves its time. docs/adr/0044
 */
export async function bundle(dist: string): Promise<readonly Input[]> {
  const read = new Set<string>()
  const [commandLine, processes, service] = [
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
  ]
  const build = await rolldown({
    input: Object.fromEntries(entries.map((path) => [path.slice(0, -3), join(sources, path)])),
    platform: 'node',
    tsconfig: false,
    checks: { ineffectiveDynamicImport: false },
    // Native modules and optional packages are loaded from where they are installed.
    external: /^node:|^@node-rs\/|^@opentelemetry\/|^oidc-provider$|^pg-native$/,
    preserveEntrySignatures: 'allow-extension',
    plugins: [
      asIfInPlace,
      {
        name: 'what a start loads',
        buildEnd() {
          const add = (to: Set<string>, id: string) => {
            if (commandLine.has(id) || processes.has(id) || to.has(id) || loadedLater.test(id))
              return
            to.add(id)
            for (const next of this.getModuleInfo(id)?.importedIds ?? []) add(to, next)
          }
          add(commandLine, join(sources, 'cli/run.ts'))
          // The primary of WORKERS loads nothing of the service.
          for (const path of ['start', 'primary', 'join']) {
            add(processes, join(sources, `core/workers/${path}.ts`))
          }
          add(service, join(sources, 'start.ts'))
          for (const path of globSync('{core,modules,extras}/*/{module,core}.ts', {
            cwd: sources,
          })) {
            const loaded = this.getModuleInfo(join(sources, path))?.dynamicallyImportedIds ?? []
            for (const id of loaded) if (!isNotOfStart.test(id)) add(service, id)
          }
          for (const id of this.getModuleIds()) if (id.startsWith(root)) read.add(id)
        },
      },
    ],
  })
  try {
    await build.write({
      dir: dist,
      format: 'esm',
      sourcemap: true,
      comments: false,
      plugins: [withoutFacades, inAscii],
      chunkFileNames: '[name]-[hash].js',
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [
          { name: 'command-line', test: (id) => commandLine.has(id), priority: 2 },
          {
            name: 'processes',
            test: (id) => processes.has(id) && !loadsCluster.test(id),
            priority: 2,
          },
          { name: 'service', test: (id) => service.has(id), priority: 1 },
        ],
      },
    })
  } finally {
    await build.close()
  }
  for (const path of filesBesideCode()) {
    cpSync(join(sources, path), join(dist, path))
    read.add(join(sources, path))
  }
  // Where the modules of the bundle look for the pages.
  const [pages, beside] = [join(root, 'web/dist'), join(dist, '../web/dist')]
  if (beside !== pages) cpSync(pages, beside, { recursive: true })
  return inputsOf(read)
}

/**
 * A module that is one of many in a file finds what is beside it as if it were a file of its own: a
 * thread, a list, a page's style. What `createRequire` loads becomes part of the bundle.
 */
const asIfInPlace: Plugin = {
  name: 'as if in place',
  transform(code, id) {
    if (!id.startsWith(sources) || !code.includes('import.meta.')) return
    const path = `./${relative(sources, id).replace(/\.ts$/, '.js')}`
    const [, load] = /^const (\w+) = createRequire\(import\.meta\.url\)$/m.exec(code) ?? []
    const moved = (load ? code.replace(new RegExp(`\\b${load}\\(`, 'g'), 'require(') : code)
      .replaceAll('import.meta.url', `new URL('${path}', import.meta.url).href`)
      .replaceAll('import.meta.dirname', `(import.meta.dirname + '/${dirname(path)}')`)
    return { code: moved, map: null } // the lines stay
  },
}

/**
 * What is imported by `import()` has a file of one line each, which exports it from the file that it is
 * in: a start would load 130 of them. The imports name that file instead.
 */
const withoutFacades: Plugin = {
  name: 'without facades',
  generateBundle(_options, files) {
    const chunks = Object.values(files).filter((file) => file.type === 'chunk')
    const facades = new Map<string, string>()
    for (const { code, fileName, isEntry } of chunks) {
      const [, names = '', from] = /^export \{ ([^}]*) \} from "(\.\/[^"]+)";\s*$/.exec(code) ?? []
      if (isEntry || from === undefined || fileName.includes('/')) continue
      const fields = names.replaceAll(
        /([\w$]+)(?: as ([\w$]+))?/g,
        (_, name, as = name) => `${as}: m.${name}`,
      )
      facades.set(fileName, `import("${from}").then((m) => ({ ${fields} }))`)
    }
    for (const chunk of chunks) {
      chunk.code = chunk.code.replaceAll(
        /\bimport\("\.\/([^"/]+)"\)/g,
        (whole, name) => facades.get(name) ?? whole,
      )
    }
    for (const name of facades.keys()) {
      delete files[name]
      delete files[`${name}.map`]
    }
  },
}

/**
 * V8 keeps the text of a file that it runs, with two bytes for each character if one of them is not in
 * Latin-1. Without comments, these characters are in strings and patterns alone.
 */
const inAscii: Plugin = {
  name: 'in ascii',
  generateBundle(_options, files) {
    const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
    for (const file of Object.values(files)) {
      if (file.type === 'chunk') file.code = file.code.replace(/[^\0-\x7f]/g, escaped)
    }
  },
}

/** The files of which a bundle was made: if one of them is another one, so would be the bundle. */
function inputsOf(read: Iterable<string>): Input[] {
  const paths = [...read].map((path) => relative(root, path))
  const packages = new Set(
    paths.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? []),
  )
  const all = new Set([
    'package.json',
    'tools/bundle.ts',
    'web/dist/built.json', // the pages, of which a bundle has a copy
    'node_modules/.package-lock.json', // npm writes it with every change of what is installed
    ...[...packages].map((path) => join(path, 'package.json')),
    ...paths,
  ])
  return [...all].map((path) => {
    const { size, mtimeMs } = statSync(join(root, path))
    return [path, size, mtimeMs]
  })
}

/**
 * The files of code in a bundle, as they will be named: a start takes none of which a part is lost or
 * cut off, as after a failure of power.
 */
export function codeOf(dist: string, named: string): Input[] {
  return globSync('**/*.js', { cwd: dist }).map((path) => {
    const { size, mtimeMs } = statSync(join(dist, path))
    return [join(named, path), size, mtimeMs]
  })
}

/** `npm run bundle`: `dist` and `web/dist` for the machine, or the image, on which it is made. */
if (import.meta.main) {
  const dist = join(root, 'dist')
  rmSync(dist, { recursive: true, force: true })
  await buildWeb()
  await bundle(dist)
}
