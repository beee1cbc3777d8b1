import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * `npm run size`: lines and files of each area, words of documents and of comments. `-- --check` fails
 * where an area is larger than tools/size.json says; `-- --record` writes that file.
 */
const root = join(import.meta.dirname, '..')
const recorded = join(root, 'tools/size.json')
const code = /\.tsx?$/
const tests = /\.test\.ts$/
const isTestOfSrc = (path: string) => path.startsWith('src/') && tests.test(path)
// What `npm run docs` and `npm run bench` write, and what only grows.
const notCounted =
  /^(CHANGELOG|docs\/(benchmarks|command-line|configuration|doctor|events|explain|personal-data|request-costs|verify))\.md$/

const paths = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const within = (...folders: string[]) =>
  paths.filter((path) => code.test(path) && folders.some((folder) => path.startsWith(folder)))
const areas: Record<string, string[]> = {
  src: within('src/').filter((path) => !isTestOfSrc(path)),
  tests: [...within('test/'), ...paths.filter(isTestOfSrc)],
  web: paths.filter((path) => /^web\/.*\.(tsx?|css)$/.test(path)),
  packages: within('packages/'),
  'tools and lab': within('tools/', 'lab/'),
}

const sizes: Record<string, number> = {}
for (const [area, files] of Object.entries(areas)) {
  const texts = files.map(read)
  sizes[`${area}, lines`] = sum(texts, (text) => text.split('\n').length - 1)
  sizes[`${area}, files`] = files.length
  sizes[`${area}, words of comments`] = sum(texts, (text) => wordsOf(commentsOf(text)))
}
const documents = paths.filter((path) => path.endsWith('.md') && !notCounted.test(path))
sizes['documents, words'] = sum(documents.map(read), wordsOf)

function sum(texts: readonly string[], count: (text: string) => number): number {
  return texts.reduce((total, text) => total + count(text), 0)
}

function wordsOf(text: string): number {
  return text.match(/\S*\p{L}\S*/gu)?.length ?? 0
}

/** Lines of block comments, and `//` with what follows, except in a URL. */
function commentsOf(text: string): string {
  return (text.match(/^\s*\/?\*.*$|(?:^|\s)\/\/\s.*$/gm) ?? []).join('\n')
}

const [, , flag] = process.argv
if (flag === '--record') writeFileSync(recorded, `${JSON.stringify(sizes, null, 2)}\n`)
const held: Record<string, number> = JSON.parse(readFileSync(recorded, 'utf8'))
const grown = Object.entries(sizes).filter(([name, size]) => size > (held[name] ?? 0))
for (const [name, size] of Object.entries(sizes)) {
  const more = size - (held[name] ?? 0)
  process.stdout.write(
    `${name.padEnd(34)} ${size}${more === 0 ? '' : ` (${more > 0 ? '+' : ''}${more})`}\n`,
  )
}
if (flag === '--check' && grown.length > 0) {
  process.stdout.write(
    'An area grew. If it must: npm run size -- --record, and say in the commit why.\n',
  )
  process.exitCode = 1
}
