import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { modules } from '../src/modules.ts'
import { extrasOf, withDependents, withoutLines } from '../tools/without/remove.ts'
import { testApp } from './app.ts'

const root = join(import.meta.dirname, '..')

suite('npm run without', () => {
  test('takes what requires an extra with it, also through another, and nothing else', () => {
    const mail = 'mail one-time-tokens email-addresses email-sign-in recovery sign-up'.split(' ')
    assert.deepEqual(withDependents(['mail'], modules).toSorted(), mail.toSorted())
    const required = new Set(modules.flatMap(({ requires = [] }) => requires))
    const alone = extrasOf(root).filter((name) => !required.has(name))
    assert.ok(alone.length > 13)
    for (const name of alone) assert.deepEqual(withDependents([name], modules), [name])
  })

  test('leads on from the pages of extras to which a sign-in leads by default', async () => {
    const places = async (...removed: string[]) => {
      const app = await testApp(
        {},
        { modules: modules.filter(({ name }) => !removed.includes(name)) },
      )
      const paths = ['/', '/account', '/reset']
      const answers = await Promise.all(paths.map((path) => app.call('GET', path)))
      await app.close()
      return answers.map(({ status, headers }) => [status, headers.location])
    }
    assert.deepEqual(await places('home'), [
      [303, '/account'],
      [401, undefined], // the page of own-account is for people who are signed in
      [200, undefined],
    ])
    assert.deepEqual(await places(...extrasOf(root)), [
      [303, '/signout'],
      [303, '/signout'],
      [303, '/signin'],
    ])
  })

  test('links to no reference of the API where it is removed', async () => {
    const linksOf = async (...removed: string[]) => {
      const app = await testApp(
        {},
        { modules: modules.filter(({ name }) => !removed.includes(name)) },
      )
      const page = await app.call('GET', '/', { headers: { accept: 'text/html' } })
      const { body } = await app.call('GET', '/')
      await app.close()
      return [Object.keys(body.links), page.text.includes('/api/')]
    }
    const rest = ['jwks', 'health', 'status']
    assert.deepEqual(await linksOf(), [['documentation', 'openapi', ...rest], true])
    assert.deepEqual(await linksOf('api-reference'), [rest, false])
  })

  test('deletes the two lines of each extra in src/modules.ts, and no line of a module', () => {
    const source = readFileSync(join(root, 'src/modules.ts'), 'utf8')
    const left = extrasOf(root).reduce(withoutLines, source)
    assert.doesNotMatch(left, /extras\//)
    const listed = modules.filter(({ name }) => extrasOf(root).includes(name))
    assert.equal(source.split('\n').length - left.split('\n').length, 2 * listed.length)
  })
})
