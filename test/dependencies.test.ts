import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'

interface Package {
  readonly version: string
  readonly integrity?: string
  readonly dev?: true
  readonly link?: true
  readonly hasInstallScript?: true
}

const read = (name: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, '..', name), 'utf8'))

suite('the packages that the service runs on', () => {
  const { dependencies } = read('package.json')
  const packages = Object.entries<Package>(read('package-lock.json').packages).filter(
    ([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link,
  )

  test('every package has an exact version and a hash', () => {
    assert.ok(packages.length >= Object.keys(dependencies).length)
    for (const [name, version] of Object.entries<string>(dependencies)) {
      assert.match(version, /^\d+\.\d+\.\d+$/, name)
      const locked = packages.find(([path]) => path === `node_modules/${name}`)
      assert.equal(locked?.[1].version, version, name)
    }
    for (const [path, { integrity }] of packages) assert.match(integrity ?? '', /^sha512-/, path)
  })

  test('none runs a script when it is installed', () => {
    const scripts = packages.filter(([, { hasInstallScript }]) => hasInstallScript)
    assert.deepEqual(scripts, [])
  })
})
