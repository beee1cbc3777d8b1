import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type AddressKind, kindOfAddress } from './address-kinds.ts'

suite('the kind of an address', () => {
  const kinds: Record<AddressKind, readonly string[]> = {
    public: ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00::1'],
    loopback: ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'],
    private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fd12::1', 'fec0::1'],
    link_local: ['169.254.1.1', 'fe80::1', 'febf::1', '::ffff:169.254.1.1'],
    shared: ['100.64.0.1', '100.127.255.255'],
    multicast: ['224.0.0.1', '239.1.1.1', 'ff02::1'],
    reserved: [
      '0.0.0.0',
      '192.0.2.1',
      '198.18.0.1',
      '203.0.113.9',
      '255.255.255.255',
      '::',
      '::7f00:1', // compatible with IPv4, RFC 4291 section 2.5.5.1
      '100::1',
      '2001:db8::1',
      '2001:10::1',
      '3fff::1',
      '5f00::1',
      '4000::1',
      'e000::1',
    ],
    translated: [
      '64:ff9b::8.8.8.8',
      '64:ff9b::10.0.0.1',
      '64:ff9b:1::1',
      '2002:0a00:0001::1',
      '2002:0808:0808::1',
      '2001::1',
      '::ffff:0:10.0.0.1',
    ],
    metadata: [
      '169.254.169.254',
      '::ffff:169.254.169.254',
      '::ffff:a9fe:a9fe',
      '::a9fe:a9fe',
      'fd00:ec2::254',
      'fd00:0ec2:0:0:0:0:0:254',
      '100.100.100.200',
      '168.63.129.16',
      '64:ff9b::169.254.169.254',
      '64:ff9b:1:a9fe:a9:fe00::',
      '64:ff9b:1:a9:fe:a9fe::',
      '64:ff9b:1::a9:fea9:fe00:0',
      '64:ff9b:1:1::a9fe:a9fe',
      '2002:a9fe:a9fe::1',
      '2001:0:0808:0808:0:0:5601:5601',
      '::ffff:0:a9fe:a9fe',
      '2a00::5efe:a9fe:a9fe',
      'fe80::200:5efe:a9fe:a9fe',
    ],
  }
  for (const [kind, addresses] of Object.entries(kinds)) {
    for (const address of addresses) {
      test(`${address} is ${kind}`, () => assert.equal(kindOfAddress(address), kind))
    }
  }

  test('a text that is no address has none', () => {
    for (const text of ['', 'localhost', '1.2.3', '1.2.3.4.5', ':::']) {
      assert.throws(() => kindOfAddress(text), /not an address/)
    }
  })
})
