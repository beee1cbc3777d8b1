import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeClientTypes } from './typed-client/generate.ts'

/** `node tools/build-packages.ts [name...]`: the packages for developers; `npm pack` calls it. */
const root = join(import.meta.dirname, '..')

export const packageNames = ['verify', 'client'] as const
export type PackageName = (typeof packageNames)[number]

/** Compiles a package to `dist`, in its own folder or in a copy. */
export async function buildPackage(name: PackageName, folder = folderOf(name)): Promise<void> {
  if (name === 'client') await writeClientTypes()
  const dist = join(folder, 'dist')
  rmSync(dist, { recursive: true, force: true })
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const project = ['-p', folderOf(name), '--noEmit', 'false', '--outDir', dist]
  execFileSync(process.execPath, [compiler, ...project], { stdio: 'inherit' })
  if (name === 'client') {
    copyFileSync(join(folderOf(name), 'src/openapi.d.ts'), join(dist, 'openapi.d.ts'))
  }
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
}

/** A package as another project has it: what `npm pack` would put into the archive. */
export async function copyPackage(name: PackageName, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const file of ['package.json', 'README.md']) {
    cpSync(join(folderOf(name), file), join(folder, file))
  }
  await buildPackage(name, folder)
}

export function folderOf(name: PackageName): string {
  return join(root, 'packages', name)
}

const isName = (word: string): word is PackageName => packageNames.some((name) => name === word)

if (import.meta.main) {
  const words = process.argv.slice(2)
  for (const name of words.length > 0 ? words.filter(isName) : packageNames) {
    await buildPackage(name)
  }
}
