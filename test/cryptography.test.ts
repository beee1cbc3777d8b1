import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const rows = [...read('docs/cryptography.md').matchAll(/^\|[^|]+\|([^|]+)\|([^|]+)\|$/gm)]
  .map(([, algorithms = '', code = '']) => ({
    algorithms,
    paths: [...code.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
  }))
  .filter(({ paths }) => paths.length > 0)

const sources =
  /(?:from |import\()'(?:node:crypto|jose|altcha-lib[^']*|@node-rs\/[^']*)'|crypto\.subtle/
const typesAlone = /^import (?:type )?\{(?: *type \w+,?)* *\} from '[^']+'$|^import type .*$/gm

/** The files of the program that use cryptography. */
const files = globSync('{src,web,packages}/**/*.{ts,tsx}', { cwd: root })
  .filter((path) => !/\.test\.ts$|\.d\.ts$|\/examples\.ts$|\/(?:dist|node_modules)\//.test(path))
  .map((path) => ({ path, text: read(path).replace(typesAlone, '') }))
  .filter(({ text }) => sources.test(text))

// How the document calls what the code names.
const names: Readonly<Record<string, string>> = {
  md5: 'MD5',
  sha1: 'SHA-1',
  sha256: 'SHA-256',
  'aes-256-gcm': 'AES-256-GCM',
  'aes-256-ctr': 'AES-256-CTR',
  EdDSA: 'Ed25519',
  ed25519: 'Ed25519',
  scrypt: 'scrypt',
  pbkdf2: 'PBKDF2',
}
const named =
  /'(md5|sha\d+|SHA-\d+|aes-[\w-]+|P-256)'|\b((?:RS|PS|ES|HS)\d{3}|EdDSA|Ed25519|scrypt|pbkdf2)\b/g

suite('docs/cryptography.md', () => {
  const rowsOf = (path: string) =>
    rows.filter(({ paths }) => paths.some((one) => path === one || isBelow(path, one)))

  test('has a row for each file that uses cryptography', () => {
    assert.ok(files.length > 30, `${files.length}`)
    assert.deepEqual(
      files.filter(({ path }) => rowsOf(path).length === 0).map(({ path }) => path),
      [],
    )
  })

  test('names the algorithms of each file in its row', () => {
    const missing = files.flatMap(({ path, text }) => {
      const known = rowsOf(path)
        .map(({ algorithms }) => algorithms)
        .join()
      const used = [...text.matchAll(named)].map(([, literal, word = '']) => literal ?? word)
      return [...new Set(used)]
        .map((name) => names[name] ?? name)
        .filter((name) => !known.includes(name))
        .map((name) => `${path}: ${name}`)
    })
    assert.deepEqual(missing, [])
  })

  test('names no file that is gone, or that uses none', () => {
    const paths = rows.flatMap((row) => row.paths)
    const idle = paths.filter(
      (one) =>
        !existsSync(join(root, one)) ||
        !files.some(({ path }) => path === one || isBelow(path, one)),
    )
    assert.deepEqual(idle, [])
  })
})

function isBelow(path: string, folder: string): boolean {
  return folder.endsWith('/') && path.startsWith(folder)
}
