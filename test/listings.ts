import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after } from 'node:test'

const root = join(import.meta.dirname, '..')

/**
 * Reads the listings of a document: blocks of code whose first line is a comment with the name of
 * their file. Answers the blocks by these names, and refuses a name that occurs twice.
 */
export function listingsOf(document: string): ReadonlyMap<string, string> {
  const markdown = readFileSync(join(root, document), 'utf8')
  const listings = new Map<string, string>()
  for (const [, text = ''] of markdown.matchAll(/^```[a-z]+\n(.*?)^```$/gms)) {
    const [, name] = /^(?:\/\/|#) (\S+\.[a-z]+)\n/.exec(text) ?? []
    if (name === undefined) continue
    assert.ok(!listings.has(name), `two listings are called ${name}`)
    listings.set(name, text)
  }
  return listings
}

/** Packages that listings import, by the names under which this project has them. */
const packages = {
  express: 'listing-express',
  fastify: 'fastify',
  hono: 'listing-hono',
  jose: 'jose',
}

/**
 * Writes listings into a folder of their own, in which they find the packages that they import. It
 * is removed when the tests of the file are done.
 */
export async function folderOf(listings: ReadonlyMap<string, string>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  await mkdir(join(folder, 'node_modules'))
  for (const [name, installed] of Object.entries(packages)) {
    symlinkSync(join(root, 'node_modules', installed), join(folder, 'node_modules', name))
  }
  for (const [name, text] of listings) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}
