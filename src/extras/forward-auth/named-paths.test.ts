import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { maxNamedPaths, namedPathsOf } from './named-paths.ts'

suite('paths that headers name', () => {
  const of = (headers: object, uri = '/own') => namedPathsOf({ ...headers }, uri)
  const named = (headers: object, uri?: string) => of(headers, uri).map(({ path }) => path)

  test('there are none without such headers', () => {
    assert.deepEqual(of({ 'x-other': '/a' }), [])
  })

  test('of each header, without the query and the host, and without the own path', () => {
    for (const header of [
      'x-original-url',
      'x-original-uri',
      'x-rewrite-url',
      'x-forwarded-path',
      'x-http-path-override',
    ]) {
      assert.deepEqual(of({ [header]: '/a?b' }), [{ header, path: '/a' }])
      assert.deepEqual(of({ [header]: '/own' }), [])
    }
    assert.deepEqual(named({ 'x-original-url': 'https://other.example/a?b' }), ['/a'])
    assert.deepEqual(named({ 'x-original-url': 'a' }), ['/a'])
    assert.deepEqual(named({ 'x-original-url': ' ' }), [])
    assert.deepEqual(named({ 'x-original-url': '/own?x' }, '/own?y'), [])
  })

  test('are of all headers together, each path of the first that names it', () => {
    const headers = {
      ...{ 'x-original-url': '/a', 'x-original-uri': '/b', 'x-rewrite-url': '/a' },
      ...{ 'x-forwarded-path': '/c', 'x-http-path-override': '/b' },
    }
    assert.deepEqual(of(headers), [
      { header: 'x-original-url', path: '/a' },
      { header: 'x-original-uri', path: '/b' },
      { header: 'x-forwarded-path', path: '/c' },
    ])
  })

  test('of values that were joined, though a path may have a comma', () => {
    assert.deepEqual(named({ 'x-original-url': '/a, /b,/c,d,http://h/e' }), [
      '/a',
      '/b',
      '/c,d',
      '/e',
    ])
    assert.deepEqual(named({ 'x-original-url': ['/a', '/b'] }), ['/a', '/b'])
    assert.deepEqual(named({ 'x-original-url': '/a, /a' }), ['/a'])
  })

  test('a prefix is a path alone and before each other', () => {
    assert.deepEqual(of({ 'x-forwarded-prefix': '/p', 'x-rewrite-url': '/a' }), [
      { header: 'x-rewrite-url', path: '/a' },
      { header: 'x-forwarded-prefix', path: '/p' },
      { header: 'x-forwarded-prefix', path: '/p/own' },
      { header: 'x-forwarded-prefix', path: '/p/a' },
    ])
    assert.deepEqual(named({ 'x-forwarded-prefix': '/p, /q' }), [
      ...['/p', '/p/own', '/q', '/q/own', '/p/q', '/p/q/own'],
    ])
  })

  test('are one more than are judged, at most', () => {
    const many = Array.from({ length: 40 }, (_, at) => `/a${at}`).join(',')
    assert.equal(named({ 'x-original-url': many }).length, 17)
    assert.equal(maxNamedPaths, 16)
  })
})
