import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { listFile } from '../src/core/password-strength/breached/breached-list.ts'
import { fingerprintBytes } from '../src/core/password-strength/breached/fingerprint-list.ts'
import { fromFile, fromPackage, pack, type Source } from './list-sources.ts'

/**
 * Makes src/core/password-strength/breached/passwords.bin and SOURCE.md, the same bytes every time:
 *
 *   node tools/breached-list.ts [<file> <licence>]...
 *
 * A file is a further list to ship, with a password per line; SOURCE.md names the present ones.
 */
const library = {
  name: '@zxcvbn-ts/language-common',
  version: '4.1.3',
  path: 'src/passwords.json',
  integrity:
    'sha512-g2bg4skmlJG9aJqC/nWziZzgYpSe/f3rKeGobrkdFiOrfZVFqqzUgC6BUQWuX54Sua9j0Jxxt+1bf4f/Mal1Kg==',
  licence:
    'MIT, (c) 2012-2016 Dan Wheeler and Dropbox, Inc., (c) 2021 @zxcvbn-ts. Its `passwords.json` is ' +
    'derived from the ten million passwords that Mark Burnett released in 2015; the library names ' +
    'no licence of that release',
}

/** Well-known example passwords, in the spellings in which users copy them. */
const famous = ['correct horse battery staple', 'correcthorsebatterystaple'].flatMap((words) => [
  words,
  words.replaceAll(' ', '-'),
  words.replaceAll(' ', '_'),
])

const shortest = 3
const ruleLength = 12

function entriesOf(passwords: readonly string[]): string[] {
  const texts = passwords.map((text) => text.normalize('NFC').toLowerCase())
  return [...new Set(texts)].filter((text) => [...text].length >= shortest)
}

const isLong = (text: string) => [...text].length >= ruleLength

function describe(sources: readonly Source[], entries: readonly string[], bytes: number): string {
  const rows = sources.map(({ name, digest, licence, texts }) => {
    const own = entriesOf(texts)
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
    fromPackage(library),
    { name: 'Well-known examples', digest: 'In the script', licence: 'ours', texts: famous },
  ]
  for (let at = 0; at < own.length; at += 2) {
    const [path = '', licence] = own.slice(at, at + 2)
    if (!licence) throw new Error(`${path}: which licence?`)
    sources.push(fromFile(path, licence))
  }
  const entries = entriesOf(sources.flatMap(({ texts }) => texts))
  const bytes = pack(entries)
  writeFileSync(listFile, bytes)
  writeFileSync(join(dirname(listFile), 'SOURCE.md'), describe(sources, entries, bytes.length))
}
