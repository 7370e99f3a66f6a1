import { describe, expect, test } from 'vitest'
import { balanceOfStates } from '../../../src/media/pdf/page/content.ts'

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
