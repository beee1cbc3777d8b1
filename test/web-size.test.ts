import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { languages } from '../src/core/lib/languages.ts'
import { isTextOf } from '../tools/first-view.ts'

const dist = join(import.meta.dirname, '../web/dist')

interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
  readonly dynamicImports?: readonly string[]
}

const manifest = JSON.parse(readFileSync(join(dist, 'built.json'), 'utf8')) as Record<string, Chunk>
const maxFirstView = 60_000

/** A chunk with all that it imports; `isWanted` says which of its lazy imports are loaded too. */
function filesOf(source: string, isWanted: (source: string) => boolean, found = new Set<string>()) {
  const chunk = manifest[source]
  assert.ok(chunk, `${source} is not built`)
  if (found.has(chunk.file)) return found
  found.add(chunk.file)
  for (const one of chunk.imports ?? []) filesOf(one, isWanted, found)
  for (const one of chunk.dynamicImports ?? []) if (isWanted(one)) filesOf(one, isWanted, found)
  return found
}

function bytesOf(files: ReadonlySet<string>, ending: '.br' | '.gz'): number {
  const sizes = [...files].map((file) => {
    const compressed = statSync(join(dist, 'client', file + ending), { throwIfNoEntry: false })
    return (compressed ?? statSync(join(dist, 'client', file))).size
  })
  return sizes.reduce((total, size) => total + size, 0)
}

/** What a browser loads for an area in a language; the plots come when the view stands. */
function filesOfArea(area: string, language: string, withPlots: boolean): Set<string> {
  const made = { explain: 'events|reasons', overview: 'overview' }[area] ?? 'events'
  const own = new RegExp(
    `/views/${area}/(?!(?:${languages.join('|')})\\.ts)|/views/${area}/${language}\\.ts$|/${language}/console/frame\\.ts$|/made:(${made})-${language}$`,
  )
  const isWanted = (source: string) =>
    own.test(`/${source}`) || (withPlots && source.includes('components/plot/'))
  return filesOf('console/console.ts', isWanted)
}

suite('what a browser loads', () => {
  const areas = new Set(
    Object.keys(manifest).flatMap(
      (source) => /^console\/views\/([\w-]+)\/[\w-]+\.tsx$/.exec(source)?.[1] ?? [],
    ),
  )
  const frame = filesOf('console/console.ts', () => false)

  test('every area is known here', () => {
    for (const area of ['overview', 'accounts', 'audit', 'posts']) {
      assert.ok(areas.has(area), `${area} of ${[...areas]}`)
    }
  })

  for (const language of languages) {
    for (const area of areas) {
      test(`${area} in ${language}: the first view is below 60 kB`, () => {
        const files = filesOfArea(area, language, false)
        assert.ok(files.size > frame.size + 1, `only ${[...files]}`)
        const [gzip, all] = [
          bytesOf(files, '.gz'),
          bytesOf(filesOfArea(area, language, true), '.br'),
        ]
        assert.ok(gzip < maxFirstView, `${gzip} bytes without plots, gzip: ${[...files]}`)
        assert.ok(all < maxFirstView, `${all} bytes with plots, br: ${[...files]}`)
        for (const [source, { file }] of Object.entries(manifest)) {
          const isOther = languages.some((one) => one !== language && isTextOf(one, source))
          assert.ok(!isOther || !files.has(file), `${file} is of another language`)
        }
      })
    }
  }

  test('plots are loaded after the view that has them', () => {
    const plots = Object.values(manifest).filter(({ file }) =>
      readFileSync(join(dist, 'client', file), 'utf8').includes('u-legend'),
    )
    const before = filesOfArea('overview', 'en', false)
    assert.deepEqual(
      plots.filter(({ file }) => file.endsWith('.js')).map(({ file }) => before.has(file)),
      [false],
    )
  })
})
