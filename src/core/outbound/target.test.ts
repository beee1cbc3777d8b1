import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseAddressRange } from '../addresses/address-ranges.ts'
import { checkedUrl, mayReach } from './target.ts'

const strict = { addresses: [], allowsLoopback: false }
const open = { addresses: ['0.0.0.0/0', '::/0'].map(parseAddressRange), allowsLoopback: true }

suite('the target of a request', () => {
  const refused: readonly [string, string][] = [
    ['', 'url_unusable'],
    ['example.org', 'url_unusable'],
    ['ftp://example.org/', 'url_unusable'],
    ['file:///etc/passwd', 'url_unusable'],
    ['gopher://example.org/', 'url_unusable'],
    ['https://', 'url_unusable'],
    ['https://a:b@example.org/', 'url_unusable'],
    ['https://a@example.org/', 'url_unusable'],
    ['https://[fe80::1%25eth0]/', 'url_unusable'],
    ['http://example.org/', 'https_required'],
    ['http://8.8.8.8/', 'https_required'],
    ['https://127.0.0.1/', 'address_refused'],
    ['https://127.1/', 'address_refused'],
    ['https://2130706433/', 'address_refused'],
    ['https://0x7f000001/', 'address_refused'],
    ['https://0x7f.1/', 'address_refused'],
    ['https://0177.0.0.1/', 'address_refused'],
    ['https://017700000001/', 'address_refused'],
    ['https://127.0.0.1./', 'address_refused'],
    ['https://１２７.０.０.１/', 'address_refused'],
    ['https://127。0。0。1/', 'address_refused'],
    ['https://%31%32%37.0.0.1/', 'address_refused'],
    ['https://0/', 'address_refused'],
    ['https://10.1/', 'address_refused'],
    ['https://167772161/', 'address_refused'],
    ['https://192.168.0.1:8443/', 'address_refused'],
    ['https://[::1]/', 'address_refused'],
    ['https://[::]/', 'address_refused'],
    ['https://[::ffff:127.0.0.1]/', 'address_refused'],
    ['https://[::ffff:10.0.0.1]/', 'address_refused'],
    ['https://[64:ff9b::10.0.0.1]/', 'address_refused'],
    ['https://[64:ff9b::808:808]/', 'address_refused'],
    ['https://[fd00::1]/', 'address_refused'],
    ['https://169.254.169.254/latest/meta-data/', 'address_refused'],
    ['https://2852039166/', 'address_refused'],
    ['https://metadata.google.internal/', 'host_refused'],
    ['https://METADATA.google.internal./', 'host_refused'],
    ['https://x.metadata.goog/', 'host_refused'],
    ['https://metadata/', 'host_refused'],
  ]
  for (const [url, fault] of refused) {
    test(`${JSON.stringify(url)} is refused: ${fault}`, () => {
      assert.throws(() => checkedUrl(url, strict), { fault })
    })
  }

  const metadata = [
    'http://169.254.169.254/',
    'https://0xa9fea9fe/',
    'https://[::ffff:169.254.169.254]/',
    'https://[64:ff9b::169.254.169.254]/',
    'https://[fd00:ec2::254]/',
    'https://100.100.100.200/',
  ]
  for (const url of metadata) {
    test(`${url} is refused though every address is allowed`, () => {
      const message = /^[0-9a-f.:]+ is a metadata address, which is not allowed$/
      assert.throws(() => checkedUrl(url, open), { fault: 'address_refused', message })
    })
  }

  const taken: readonly [string, string][] = [
    ['https://example.org', 'https://example.org/'],
    ['https://8.8.8.8:444/a?b=c', 'https://8.8.8.8:444/a?b=c'],
    ['https://[2606:4700::1111]/', 'https://[2606:4700::1111]/'],
  ]
  for (const [url, href] of taken) {
    test(`${url} is taken`, () => assert.equal(checkedUrl(url, strict).href, href))
  }

  test('http goes to this machine alone, where that is allowed', () => {
    const here = { addresses: [], allowsLoopback: true }
    for (const host of ['127.0.0.1', 'localhost:8080', '[::1]']) {
      assert.equal(checkedUrl(`http://${host}/`, here).protocol, 'http:')
    }
    assert.throws(() => checkedUrl('http://example.org/', here), { fault: 'https_required' })
    assert.throws(() => checkedUrl('http://[::1]/', strict), { fault: 'address_refused' })
  })

  test('an address that NAT64 translates is judged as well as that of the translator', () => {
    const translator = [parseAddressRange('64:ff9b::/96')]
    const rules = { addresses: translator, allowsLoopback: false }
    assert.equal(mayReach('64:ff9b::8.8.8.8', rules), true)
    assert.equal(mayReach('64:ff9b::10.0.0.1', rules), false)
    assert.equal(mayReach('64:ff9b::127.0.0.1', rules), false)
    const both = { ...rules, addresses: [...translator, parseAddressRange('10.0.0.0/8')] }
    assert.equal(mayReach('64:ff9b::10.0.0.1', both), true)
  })

  test('a listed address is allowed, and none beside it', () => {
    const rules = { addresses: [parseAddressRange('10.1.0.0/16')], allowsLoopback: false }
    assert.deepEqual(
      ['10.1.2.3', '::ffff:10.1.2.3', '10.2.0.1', '192.168.0.1'].map((one) => mayReach(one, rules)),
      [true, true, false, false],
    )
  })
})
