import { describe, expect, test } from 'vitest'
import { isPublicAddress } from '../../../src/engines/http/private-network.ts'

describe('addresses that are not public', () => {
  test.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '203.0.113.5',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd12:3456:789a::1',
    'ff02::1',
    '2001:db8::1',
    '100::1',
    // IPv4-mapped, compatible and translated
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.1.2.3',
    '::127.0.0.1',
    '::ffff:0:192.168.0.1',
    // NAT64, and its range for local use
    '64:ff9b::127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::8.8.8.8',
    // 6to4 of 127.0.0.1, 10.0.0.1, 192.168.0.1
    '2002:7f00:1::',
    '2002:a00:1::1',
    '2002:c0a8:1::1',
    // Teredo: a private server, a private client (bits inverted: 10.0.0.1)
    '2001:0:a00:1::f7f7:f7f7',
    '2001:0:808:808::f5ff:fffe',
    // ISATAP of 10.0.0.1 in a public prefix
    '2a00:1450::5efe:10.0.0.1',
    '2a00:1450::200:5efe:a00:1',
    'localhost',
    '',
    '0x7f.1',
    '2130706433',
  ])('%s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})

describe('public addresses', () => {
  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.32.0.1',
    '2a00:1450:4001:80b::200e',
    '2606:4700:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
    // Teredo of the server 8.8.8.8 and the client 8.8.4.4
    '2001:0:808:808::f7f7:fbfb',
  ])('%s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })
})
