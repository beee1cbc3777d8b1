import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * `node tools/image.ts /image`, in the build stage of Dockerfile: the file system of the image in
 * `/image/root`, and its volume in `/image/volume`. It holds Node, its libraries, the bundle and the
 * packages that the bundle loads. No shell, no package manager.
 */
const root = join(import.meta.dirname, '..')

/** `docker exec <container> gatehouse help`; a script, because there is no shell. */
export const launcher = "#!/usr/local/bin/node\nimport('/app/dist/cli/main.js')\n"

/** Programs that the documents run in a container, in addition to Node and `gatehouse`. */
export const programs = ['cat', 'rm']

export interface Installed {
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Packages by path, as in `node_modules/.package-lock.json`. */
export type Lock = Readonly<Record<string, Installed>>

/** The paths of packages and of what they need, found as Node finds them. */
export function closureOf(names: readonly string[], lock: Lock): string[] {
  const found = new Set<string>()
  const add = (name: string, from: string) => {
    const path = pathOf(name, from, lock)
    if (path === undefined || found.has(path)) return // a binary of another platform is not installed
    found.add(path)
    const { dependencies, optionalDependencies } = lock[path] ?? {}
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) add(next, path)
  }
  for (const name of names) add(name, '')
  return [...found]
}

function pathOf(name: string, from: string, lock: Lock): string | undefined {
  const path = join(from, 'node_modules', name)
  if (path in lock) return path
  if (from === '') return undefined
  return pathOf(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), lock)
}

/** The packages that code loads by name. */
export function loadedBy(code: string): string[] {
  const names = code.matchAll(
    /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["']((?:@[\w.-]+\/)?[\w-][\w.-]*)["'/]/g,
  )
  return [...new Set([...names].map(([, name = '']) => name))]
}

function collect(image: string): void {
  const at = (path: string) => join(image, 'root', path)
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const place = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text, { mode })
  }
  const placeFile = (path: string) => {
    mkdirSync(dirname(at(path)), { recursive: true })
    copyFileSync(path, at(path))
  }
  const copy = (from: string, to: string) => cpSync(from, at(to), { recursive: true, filter: runs })

  const lock: Lock = JSON.parse(read('node_modules/.package-lock.json')).packages
  const { dependencies } = JSON.parse(read('package.json'))
  const loaded = globSync('dist/**/*.js', { cwd: root }).flatMap((path) => loadedBy(read(path)))
  const packages = closureOf(
    [...new Set(loaded)].filter((name) => name in dependencies),
    lock,
  )
  for (const path of ['package.json', 'dist', 'web/dist', ...packages]) {
    copy(join(root, path), join('app', path))
  }
  // The bundle contains the code of more packages.
  for (const [path, { dev, devOptional }] of Object.entries(lock)) {
    const [license] =
      dev || devOptional ? [] : globSync('{LICEN[CS]E,licen[cs]e}*', { cwd: join(root, path) })
    if (license)
      copy(
        join(root, path, license),
        join('app/licenses', `${path}.txt`.replaceAll('node_modules/', '')),
      )
  }

  const node = '/usr/local/bin/node'
  copy(process.execPath, node)
  execFileSync('strip', [at(node)])
  const [license = ''] = globSync('node_modules/node-linux-*/LICENSE', { cwd: root })
  copy(join(root, license), 'usr/share/doc/node/copyright')
  const binaries = programs.map((name) => `/usr/bin/${name}`)
  for (const path of binaries) copy(path, path)
  const natives = packages.flatMap((path) => globSync(join(root, path, '*.node')))
  const files = new Set([process.execPath, ...binaries, ...natives].flatMap(librariesOf))
  for (const path of files) placeFile(path)
  for (const name of packagesOf([...binaries, ...files])) {
    copy(`/usr/share/doc/${name}/copyright`, `usr/share/doc/${name}/copyright`)
    // Where scanners for vulnerabilities look in an image without dpkg.
    place(
      `var/lib/dpkg/status.d/${name}`,
      execFileSync('dpkg-query', ['--status', name], { encoding: 'utf8' }),
    )
  }

  for (const path of ['/etc/os-release', '/etc/nsswitch.conf']) placeFile(path)
  place('etc/passwd', 'root:x:0:0:root:/:/\nnode:x:1000:1000::/:/\n')
  place('etc/group', 'root:x:0:\nnode:x:1000:\n')
  place('usr/local/bin/gatehouse', launcher, 0o755)
  for (const path of ['tmp', 'var/tmp']) {
    mkdirSync(at(path), { recursive: true })
    chmodSync(at(path), 0o1777)
  }
  mkdirSync(join(image, 'volume/data'), { recursive: true, mode: 0o700 })
}

/** Whether a file is of use where the code runs: types and source maps are not. */
function runs(path: string): boolean {
  return !/\.(?:map|d\.[cm]?ts)$/.test(path)
}

/** The shared libraries of a program, and its loader. */
function librariesOf(path: string): string[] {
  const listed = execFileSync('ldd', [path], { encoding: 'utf8' })
  return [...listed.matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)].map(([, library = '']) => library)
}

/** The Debian packages of files; a file of /lib may be listed below /usr/lib, and the reverse. */
function packagesOf(paths: readonly string[]): string[] {
  const patterns = paths.map((path) => `*${path.replace(/^\/usr/, '')}`)
  const listed = execFileSync('dpkg-query', ['--search', ...patterns], { encoding: 'utf8' })
  return [
    ...new Set([...listed.matchAll(/^([a-z0-9.+-]+)(?::\w+)?: /gm)].map(([, name = '']) => name)),
  ]
}

if (import.meta.main) collect(process.argv[2] ?? '/image')
