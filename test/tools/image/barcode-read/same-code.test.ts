import { expect, test } from 'vitest'
import type { FoundCode } from '../../../../src/engines/pictures/zxing.ts'
import { addCode } from '../../../../tools/image/codes/barcode-read/same-code.ts'

/** A reading with its left, top, width and height. */
function reading(format: string, text: string, [x, y, width, height]: [number, number, number, number]): FoundCode {
  const [right, bottom] = [x + width, y + height]
  const corners: FoundCode['corners'] = [
    { x, y },
    { x: right, y },
    { x: right, y: bottom },
    { x, y: bottom },
  ]
  return { format, text, rawText: text, bytes: new Uint8Array(), corners }
}

function kept(...readings: FoundCode[]): string[] {
  const found: FoundCode[] = []
  for (const one of readings) addCode(found, one)
  return found.map(({ text }) => text)
}

test('merges bars that are read above and below', () => {
  const text = '0023942431015'
  expect(kept(reading('EAN13', text, [170, 125, 195, 2]), reading('EAN13', text, [172, 160, 195, 30]))).toEqual([text])
})

test('separate labels with one number are two', () => {
  const text = '0023942431015'
  expect(kept(reading('EAN13', text, [10, 10, 200, 60]), reading('EAN13', text, [10, 240, 200, 60]))).toHaveLength(2)
})

test('a part of a number is replaced by the whole, regardless of their order', () => {
  const [whole, part] = [
    reading('ITF', '928111694756', [317, 348, 380, 90]),
    reading('ITF', '9281116947', [330, 340, 326, 1]),
  ]
  expect(kept(whole, part)).toEqual(['928111694756'])
  expect(kept(part, whole)).toEqual(['928111694756'])
})

test('a reading from few lines is replaced by one from many lines of the same bars', () => {
  const [many, few] = [
    reading('EAN13', '0023942431015', [146, 130, 193, 60]),
    reading('EAN13', '1140434778478', [147, 194, 193, 3]),
  ]
  expect(kept(few, many)).toEqual(['0023942431015'])
  expect(kept(many, few)).toEqual(['0023942431015'])
})

test('keeps lines of a list, however close they are', () => {
  const list = ['11111111', '22222222', '33333333'].map((text, index) =>
    reading('Code128', text, [20, 20 + index * 45, 200, 30]),
  )
  expect(kept(...list)).toHaveLength(3)
})
