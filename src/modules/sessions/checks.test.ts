import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Found } from '../../core/checks/check.ts'
import type { OfflineContext } from '../../core/checks/context.ts'
import { checks } from './checks.ts'

interface Given {
  readonly baseUrl?: string
  readonly cookieName?: string
  readonly hosts?: readonly string[]
  readonly corsOrigins?: readonly string[]
  readonly redirectOrigins?: readonly string[]
}

suite('the check of the session cookie', () => {
  function found(given: Given): string | undefined {
    const {
      baseUrl = 'https://auth.a.example',
      cookieName = 'JSESSIONID',
      hosts = [],
      corsOrigins = [],
      redirectOrigins = [],
    } = given
    const config = {
      baseUrl,
      session: { cookieName },
      http: { corsOrigins },
      pages: { redirectOrigins },
      otherHosts: { forward: hosts },
    }
    const [check] = checks.offline ?? []
    const finds = check?.find({ config } as unknown as OfflineContext) as readonly Found[]
    assert.ok(finds.length < 2)
    const { en, de } = finds[0]?.what ?? {}
    assert.equal(de?.includes(' und anderen'), en?.includes(' and others'))
    return en?.replace(/^.* shares its domain with /, '')
  }

  test('finds hosts that share the domain, from all settings that name hosts, once each', () => {
    assert.equal(found({ hosts: ['app.a.example'] }), 'app.a.example.')
    assert.equal(found({ corsOrigins: ['https://app.a.example:8443'] }), 'app.a.example.')
    assert.equal(found({ redirectOrigins: ['https://b.c.a.example'] }), 'b.c.a.example.')
    assert.equal(found({ hosts: ['a.example'] }), 'a.example.')
    const twice = {
      hosts: ['b.a.example', 'c.a.example'],
      corsOrigins: ['*', 'https://b.a.example'],
    }
    assert.equal(found(twice), 'b.a.example, c.a.example.')
    const [b, c, d, e] = ['b', 'c', 'd', 'e'].map((name) => `${name}.a.example`) as [
      string,
      string,
      string,
      string,
    ]
    assert.equal(found({ hosts: [b, c, d] }), `${b}, ${c}, ${d}.`)
    assert.equal(found({ hosts: [b, c, d, e] }), `${b}, ${c}, ${d} and others.`)
  })

  test('finds nothing where no other host can set the cookie', () => {
    const hosts = ['app.a.example']
    assert.equal(found({}), undefined)
    for (const host of ['auth.a.example', 'b.example', 'example', 'xa.example', 'a.example.org']) {
      assert.equal(found({ hosts: [host] }), undefined, host)
    }
    assert.equal(found({ hosts, cookieName: '__Host-JSESSIONID' }), undefined)
    assert.equal(found({ hosts, baseUrl: 'http://auth.a.example' }), undefined)
    assert.equal(found({ hosts: ['app.localhost'], baseUrl: 'https://localhost' }), undefined)
    assert.equal(found({ hosts: ['a.intranet'], baseUrl: 'https://intranet' }), undefined)
    assert.equal(found({ corsOrigins: ['*'] }), undefined)
  })
})
