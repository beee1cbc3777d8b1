import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Module } from '../../src/core/module/module.ts'
import { buildWeb } from '../../tools/build-web.ts'

/** The pages of a program with other modules, as a build makes them; they go when the tests of the file are done. */
export async function builtPagesOf(modules: readonly Module[]): Promise<URL> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pages-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const dist = join(folder, 'dist')
  await buildWeb(dist, modules)
  return pathToFileURL(`${dist}/`)
}
