// A database makes a difference: foreign keys do what the manifests say.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { assertErases } from '../src/core/database/module-schemas.ts'
import { modules } from '../src/modules.ts'
import { testApp } from './app.ts'

suite('what becomes of a row when its user goes', async () => {
  const { deps } = await testApp()
  const people = modules.flatMap(({ tables = [] }) =>
    tables.flatMap((table) => (table.person ? [{ ...table, person: table.person }] : [])),
  )

  test('the foreign keys do what the manifests say', async () => {
    assert.ok(people.length >= 8)
    for (const module of modules) await assertErases(deps.db, module)
  })

  test('a manifest that says another thing is refused', async () => {
    const erased = people.filter(({ person }) => typeof person.onDelete === 'string')
    for (const { name, person } of erased) {
      const onDelete = person.onDelete === 'delete' ? 'set-null' : 'delete'
      const table = { name, person: { ...person, onDelete } } as const
      const verdict = assertErases(deps.db, { name: 'x', tables: [table] })
      await assert.rejects(
        verdict,
        new RegExp(`the table ${name} of the module x must refer to users`),
      )
    }
  })
})
