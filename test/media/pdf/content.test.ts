import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { balanceOfStates } from '../../../src/media/pdf/content.ts'
import { openTypeFromWoff } from '../../../src/media/pdf/woff.ts'

const balance = (content: string) => balanceOfStates(Buffer.from(content, 'latin1'))

describe('balanceOfStates', () => {
  test.each([
    ['q 1 0 0 1 0 0 cm Q', 0, []],
    ['q q Q', 1, []],
    ['Q q', 1, [0]],
    ['q Q Q  Q', 0, [4, 7]],
    ['(q q (q) \\) q) Tj', 0, []],
    ['<7171> Tj q', 1, []],
    ['% q q\nq', 1, []],
    ['/q gs /Q Do', 0, []],
    ['/Span<</q 1>>BDC q', 1, []],
    ['q[(Q)]TJ', 1, []],
    ['BI /W 2 /H 1 ID q Q EIx q EI Q', 0, [29]],
    ['(never closed q', 0, []],
    ['<00', 0, []],
    ['BI ID q', 0, []],
  ] as const)('%s', (content, unclosed, excess) => {
    expect(balance(content)).toEqual({ unclosed, excess: [...excess] })
  })
})

describe('openTypeFromWoff', () => {
  /** A WOFF of two tables, one of them compressed. */
  function woff(length = 12): Buffer {
    const tables = [
      { tag: 'abcd', body: Buffer.from('plain'), length: 5 },
      { tag: 'wxyz', body: deflateSync(Buffer.alloc(12, 'z')), length },
    ]
    const header = Buffer.alloc(44 + 40)
    header.write('wOFF', 0, 'latin1')
    header.writeUInt32BE(0x00010000, 4)
    header.writeUInt16BE(2, 12)
    let start = header.length
    tables.forEach((table, index) => {
      const entry = 44 + index * 20
      header.write(table.tag, entry, 'latin1')
      header.writeUInt32BE(start, entry + 4)
      header.writeUInt32BE(table.body.length, entry + 8)
      header.writeUInt32BE(table.length, entry + 12)
      start += table.body.length
    })
    return Buffer.concat([header, ...tables.map((table) => table.body)])
  }

  test('unpacks the tables and writes their directory', () => {
    // The compressed table must be longer unpacked than packed to count as compressed.
    const font = Buffer.from(openTypeFromWoff(woff()))
    expect(font.readUInt32BE(0)).toBe(0x00010000)
    expect([4, 6, 8, 10].map((offset) => font.readUInt16BE(offset))).toEqual([2, 32, 1, 0])
    const table = (index: number) => {
      const entry = 12 + index * 16
      const start = font.readUInt32BE(entry + 8)
      return [
        font.toString('latin1', entry, entry + 4),
        font.toString('latin1', start, start + font.readUInt32BE(entry + 12)),
      ]
    }
    expect([table(0), table(1)]).toEqual([
      ['abcd', 'plain'],
      ['wxyz', 'z'.repeat(12)],
    ])
  })

  test('leaves other fonts alone and refuses broken ones', () => {
    const other = Buffer.from('OTTO....')
    expect(openTypeFromWoff(other)).toBe(other)
    expect(() => openTypeFromWoff(woff().subarray(0, 90))).toThrow(RangeError)
    expect(() => openTypeFromWoff(woff(2 ** 31))).toThrow(RangeError)
  })
})
