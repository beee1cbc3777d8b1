import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { gatehouse } from '../hints/command-line.ts'
import { assertMayRun, assertWorksWith, lastContract } from './migration-kinds.ts'

const shared = {
  ...{ from: 24, mayBeShared: true, mayContract: false },
  otherNodes: async () => null as string | null,
}

suite('the kinds of migrations', () => {
  test('one that takes away waits for the operator where a node of the version before may run', async () => {
    const due = [
      { version: 25, kind: 'expand' as const },
      { version: 26, kind: 'contract' as const },
    ]
    await assert.rejects(assertMayRun(due, shared), /^Error: migration 26 takes away .*--contract/)
    await assertMayRun(due, { ...shared, mayContract: true })
    await assertMayRun(due, { ...shared, mayBeShared: false })
    await assertMayRun(due, { ...shared, from: 0 })
    await assertMayRun(due.slice(0, 1), shared)
  })

  test('one from before the operator was asked waits while other nodes are connected', async () => {
    const due = [{ version: 14, kind: 'contract' as const }]
    const connected = { ...shared, from: 13, otherNodes: async () => '192.0.2.7' }
    await assert.rejects(assertMayRun(due, connected), {
      message:
        'migration 14 takes away what older versions read, and other nodes are connected to the database, from 192.0.2.7: ' +
        `stop them, and start again; if none runs, \`${gatehouse} migrate --contract\``,
    })
    await assertMayRun(due, { ...connected, otherNodes: async () => null })
    await assertMayRun(due, { ...connected, mayContract: true })
    await assertMayRun(due, { ...connected, from: 0 })
  })

  test('a program works with a newer schema if all that is new was added', () => {
    assertWorksWith([{ version: 25, kind: 'expand' }], 24)
    for (const kind of ['contract', null, 'unknown']) {
      const newer = [
        { version: 25, kind: 'expand' },
        { version: 26, kind },
      ]
      assert.throws(() => assertWorksWith(newer, 24), /has schema 26, this program knows 24/)
    }
  })

  test('what says that it only adds drops, renames and narrows nothing that the version before has', () => {
    const folder = join(import.meta.dirname, 'migrations')
    const said = readFileSync(join(import.meta.dirname, 'all-migrations.ts'), 'utf8')
    const imports = new Map(
      [...said.matchAll(/import \* as (\w+) from '\.\/migrations\/(\d{4}-[\w-]+\.ts)'/g)].map(
        ([, name = '', file = '']) => [file, name],
      ),
    )
    const takesAway =
      /drop (table|column)\b|rename (column|to)\b|set not null|alter column \w+ type/
    for (const file of readdirSync(folder).filter((name) => /^\d{4}-/.test(name))) {
      const kind = new RegExp(`(expand|contract)\\(${imports.get(file)}\\.statements\\)`).exec(
        said,
      )?.[1]
      assert.ok(kind, `${file} says what it is`)
      // A table that is made anew with a wider check, and all of its columns, is the one before.
      if (file === '0022-people.ts') continue
      const isTaking = takesAway.test(readFileSync(join(folder, file), 'utf8'))
      assert.equal(isTaking, kind === 'contract', file)
    }
    const kinds = [...said.matchAll(/^ {2}(expand|contract)\(\w+\.statements\),$/gm)].map(
      ([, kind]) => kind,
    )
    assert.equal(kinds.lastIndexOf('contract') + 1, lastContract)
  })
})
