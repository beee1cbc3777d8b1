import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { allCommands } from '../src/core/cli/commands.ts'
import { modules } from '../src/modules.ts'
import { testApp } from './app.ts'
import { allRoutes, commandExamples, exampleNames } from './examples.ts'

suite('examples of routes and commands', async () => {
  const app = await testApp()
  const names = new Set(exampleNames)

  test('every route has its example, in the folder of its module', () => {
    const missing = allRoutes(app).filter(({ key }) => !names.has(key))
    assert.deepEqual(
      missing.map(({ key, module, name }) => sentence('route', name, key, module)),
      [],
    )
  })

  test('every command has its example, in the folder of its module', async () => {
    const known = modules.flatMap(({ name: module, commands = [] }) =>
      commands.flatMap(({ rows }) => rows.map(({ name }) => ({ name, module }))),
    )
    const missing = known.filter(({ name }) => !(name in commandExamples))
    assert.deepEqual(
      missing.map(({ name, module }) => sentence('command', name, name, module)),
      [],
    )
  })

  test('every example is of a route or a command that there is, and stands once', async () => {
    const routes = new Set(allRoutes(app).map(({ key }) => key))
    const commands = (await allCommands(modules)).map(({ name }) => name)
    assert.deepEqual(
      exampleNames.filter((name, at) => !routes.has(name) || exampleNames.indexOf(name) !== at),
      [],
    )
    assert.deepEqual(
      Object.keys(commandExamples).filter((name) => !commands.includes(name)),
      [],
    )
  })
})

function sentence(kind: string, name: string, key: string, module: string): string {
  return `The ${kind} ${name} has no example: add '${key}' to examples.ts in the folder of ${module}.`
}
