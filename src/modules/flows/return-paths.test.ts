import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createReturnPaths } from './return-paths.ts'

suite('return paths', () => {
  const paths = createReturnPaths({ baseUrl: 'https://id.example.org' })
  paths.add({ method: 'GET', url: '/account' })
  paths.add({ method: 'GET', url: '/users/:id' })
  paths.add({ method: ['GET', 'HEAD'], url: '/docs/*' })
  paths.add({ method: 'GET', url: '/both/:id' })
  paths.add({ method: 'GET', url: '/both/end', config: { isReturnTarget: false } as never })
  paths.add({ method: 'GET', url: '/leave', exposeHeadRoute: false })
  paths.add({
    ...{ method: 'GET', url: '/kept', exposeHeadRoute: false },
    config: { isReturnTarget: true } as never,
  })
  paths.add({ method: ['POST', 'DELETE'], url: '/ends/:id' })
  paths.add({ method: 'POST', url: '/account' })
  paths.add({ method: ['OPTIONS', 'HEAD'], url: '/preflight' })

  const targets = [
    ...['/account', '/users/7', '/docs/a', '/docs/a/b', '/both/7', '/kept', '/preflight'],
    ...['/unknown', '/leaves', '/leave/more', '/ends', '/ends/a/b', '/users', '/users/7/more'],
    ...['https://other.example.org/leave', 'https://id.example.org/account', '/%zz', '//'],
  ]
  const others = [
    ...['/both/end', '/leave', '/ends/1', 'https://id.example.org/leave', '/LEAVE', '/leave/'],
    ...['/%6ceave', '//id.example.org/leave', '/leave;a=b', '/./leave', '/x/../leave', '/leave?a'],
    ...['/both//end', '/leave#part', '/ends;x/1', '/both/end/'],
  ]
  for (const path of targets) {
    test(`lead to ${path}`, () => assert.equal(paths.isTarget(path), true))
  }
  for (const path of others) {
    test(`do not lead to ${path}`, () => assert.equal(paths.isTarget(path), false))
  }
})
