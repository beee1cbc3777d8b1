import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { cacheFolder, refusalOf } from './prepare.ts'

suite('an older Node', () => {
  test('is refused in one sentence', () => {
    for (const version of ['16.20.2', '25.99.99', '26.9.0', '26.10.0-rc.1']) {
      const sentence = refusalOf(version, '26.10.1')
      assert.equal(sentence, `Gatehouse needs Node.js 26.10.1 or newer, and this is ${version}.`)
    }
  })

  test('a newer or equal one is not', () => {
    for (const version of ['26.0.0', '26.0.1', '27.0.0', '100.1.0']) {
      assert.equal(refusalOf(version, '26'), undefined, version)
    }
    assert.equal(refusalOf('26.10.1', '26.10.1'), undefined)
  })
})

suite('the folder of compiled modules', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  after(() => rmSync(folder, { recursive: true }))
  const [installation, home, temporary] = ['checkout', 'home', 'tmp'].map((name) =>
    join(folder, name),
  ) as [string, string, string]
  const modules = join(folder, 'node_modules')
  for (const path of [installation, home, temporary, modules]) mkdirSync(path, { mode: 0o700 })
  mkdirSync(join(installation, 'node_modules'))
  const uid = process.getuid?.() ?? 0
  const versions = process.versions
  const places = { installation, temporary }
  const ofUser = (env: Record<string, string>, getuid = () => uid) => ({ versions, env, getuid })
  const found = (env: Record<string, string>, more = places) => cacheFolder(ofUser(env), more)

  test('is beside the dependencies, of a checkout and of a package', () => {
    assert.equal(found({}), join(installation, 'node_modules/.cache/gatehouse'))
    const more = { installation: join(modules, 'gatehouse'), temporary }
    assert.equal(found({}, more), join(modules, '.cache/gatehouse'))
  })

  test('is the one that the service manager gives', () => {
    const given = join(folder, 'cache')
    assert.equal(found({ CACHE_DIRECTORY: given, HOME: home }), given)
    assert.equal(statSync(given).mode & 0o777, 0o700)
  })

  test('is where the link leads that systemd makes for a DynamicUser, if this user owns that alone', () => {
    const [kept, link] = [join(folder, 'private', 'gatehouse'), join(folder, 'linked')]
    mkdirSync(kept, { recursive: true, mode: 0o700 })
    symlinkSync(join('private', 'gatehouse'), link) // relative, as systemd's
    assert.equal(found({ CACHE_DIRECTORY: link, HOME: home }), kept)
    chmodSync(kept, 0o777)
    const beside = join(installation, 'node_modules/.cache/gatehouse')
    assert.equal(found({ CACHE_DIRECTORY: link, HOME: home }), beside)
    rmSync(kept, { recursive: true })
    assert.equal(found({ CACHE_DIRECTORY: link, HOME: home }), beside, 'it leads nowhere')
  })

  suite('of an installation that cannot be written', () => {
    const closed = { installation: '/proc/gatehouse', temporary } // also for root
    const own = join(temporary, `gatehouse-${uid}`)

    test('is in the home of the user, or where that is empty or absent, in the temporary folder', () => {
      assert.equal(found({ HOME: home }, closed), join(home, '.cache/gatehouse'))
      const elsewhere = { HOME: home, XDG_CACHE_HOME: join(home, 'caches') }
      assert.equal(found(elsewhere, closed), join(home, 'caches/gatehouse'))
      for (const env of [{}, { HOME: '' }, { HOME: '/proc/none' }]) {
        assert.equal(found(env, closed), own)
        assert.equal(statSync(own).mode & 0o777, 0o700)
      }
    })

    test('is none that another user owns or may write, and no link', () => {
      chmodSync(own, 0o777)
      assert.equal(found({}, closed), undefined)
      rmSync(own, { recursive: true })
      mkdirSync(join(folder, 'planted'))
      symlinkSync(join(folder, 'planted'), own)
      assert.equal(found({}, closed), undefined)
      rmSync(own)

      const other = ofUser({ HOME: home, CACHE_DIRECTORY: join(folder, 'cache') }, () => uid + 1)
      assert.equal(cacheFolder(other, closed), undefined)
      assert.ok(!existsSync(join(home, '.cache/gatehouse', 'x')))
    })
  })
})
