import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { modules } from '../../modules.ts'
import { commandRows } from '../cli/commands.ts'
import { asDocumented, callAt, gatehouse } from './command-line.ts'

suite('the command line, as texts call it', () => {
  test('is what works there: in a clone, as a dependency, in the image', () => {
    for (const [url, call] of [
      ['file:///srv/clone/src/core/hints/command-line.ts', 'npm run -s gatehouse --'],
      [
        'file:///srv/clone/node_modules/.cache/gatehouse/bundle/dist/core/hints/command-line.js',
        'npm run -s gatehouse --',
      ],
      ['file:///srv/app/node_modules/gatehouse/dist/core/hints/command-line.js', 'npx gatehouse'],
      ['file:///C:/app/node_modules/gatehouse/dist/core/hints/command-line.js', 'npx gatehouse'],
      ['file:///app/dist/core/hints/command-line.js', 'gatehouse'],
      ['file:///opt/gatehouse/dist/core/hints/command-line.js', 'gatehouse'],
    ] as const) {
      assert.equal(callAt(url), call, url)
    }
    assert.equal(gatehouse, 'npm run -s gatehouse --')
    assert.equal(asDocumented(`a \`${gatehouse} help\``), 'a `gatehouse help`')
  })

  const free = [
    /^src\/core\/cli\/completion\//, // they complete the word `gatehouse`
    /^src\/core\/cli\/help\.ts$/, // the introduction of a document, as in the next one
    /^src\/core\/config\/describe\.ts$/,
    /^src\/extras\/backup\/encrypted-key-bundle\.ts$/, // no text for people
    /\/monitoring\.ts$/, // one text for the metrics of all nodes
    /\/events\.ts$/, // a document
    /^src\/core\/reasons\/|\/reasons\.ts$/, // the commands put in how they are called
  ]

  test('is in no text of the program without how it is called', () => {
    const root = join(import.meta.dirname, '../../..')
    const words = new Set(commandRows(modules).map(({ name }) => name.split(' ', 1)[0]))
    const bare = new RegExp(`(?<!-s )\\bgatehouse (?:${[...words].join('|')})\\b`)
    const files = globSync(['src/**/*.ts', 'web/**/*.{ts,tsx}'], { cwd: root }).filter(
      (path) => !/\.test\.ts$|\/dist\//.test(path) && !free.some((one) => one.test(path)),
    )
    assert.ok(files.length > 500 && bare.test('run `gatehouse config check`'))
    const found = files.flatMap((path) =>
      readFileSync(join(root, path), 'utf8')
        .split('\n')
        .map((line) => line.replace(/^\s*(?:\/\/|\/?\*).*$|\s\/\/ .*$/, ''))
        .filter((line) => bare.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    )
    assert.deepEqual(found, [])
  })
})
