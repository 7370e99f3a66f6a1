import { describe, expect, test } from 'vitest'
import { checkDigit } from '../../../tools/image/codes/barcode-generate/check-digit.ts'
import barcode from '../../../tools/image/codes/barcode-generate.ts'
import { at, readRgba, type Samples } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

async function drawn(settings: Record<string, unknown>): Promise<Samples> {
  const { paths, names } = await run(barcode, folder, [], settings)
  expect(names).toEqual(['barcode.png'])
  return readRgba(paths[0]!)
}

const isDark = (pixels: Samples, x: number, y: number): boolean => at(pixels, x, y)[0]! < 128

/** Bars and spaces of the row at `y`, in modules of `scale` pixels, from the first bar to the last. */
function runsOf(pixels: Samples, scale: number, y = 10): number[] {
  const runs: number[] = []
  let dark = false
  for (let x = 0; x < pixels.width; x++) {
    if (isDark(pixels, x, y) !== dark) {
      runs.push(0)
      dark = !dark
    }
    if (runs.length) runs[runs.length - 1]!++
  }
  if (!dark) runs.pop()
  return runs.map((length) => length / scale)
}

/** Code 39 by its table (AIM USA USS-39): nine elements, w wide; the letters required by the test. */
const CODE39: Record<string, string> = {
  '*': 'nwnnwnwnn',
  A: 'wnnnnwnnw',
  B: 'nnwnnwnnw',
  '1': 'wnnwnnnnw',
  '2': 'nnwwnnnnw',
}

/** Left odd (A) digits of EAN (ISO/IEC 15420): widths of space, bar, space, bar. */
const EAN_A = ['3211', '2221', '2122', '1411', '1132', '1231', '1114', '1312', '1213', '3112']
/** Which left digits are mirrored (set B), by the first digit. */
const EAN_PARITY = ['AAAAAA', 'AABABB', 'AABBAB', 'AABBBA', 'ABAABB', 'ABBAAB', 'ABBBAA', 'ABABAB', 'ABABBA', 'ABBABA']

function eanRuns(digits: string): number[] {
  const widths = (digit: string, mirrored: boolean) => {
    const row = [...EAN_A[Number(digit)]!].map(Number)
    return mirrored ? row.reverse() : row
  }
  const left = [...digits.slice(1, 7)].flatMap((digit, index) =>
    widths(digit, EAN_PARITY[Number(digits[0])]![index] === 'B'),
  )
  const right = [...digits.slice(7)].flatMap((digit) => widths(digit, false))
  return [1, 1, 1, ...left, 1, 1, 1, 1, 1, ...right, 1, 1, 1]
}

test('check digits of GS1', () => {
  expect(checkDigit('590123412345')).toBe(7)
  expect(checkDigit('03600029145')).toBe(2)
  expect(checkDigit('1540014128876')).toBe(3)
})

describe('bars', () => {
  test.each(['590123412345', '5901234123457'])('EAN-13 of %s, the check digit computed or given', async (text) => {
    expect(runsOf(await drawn({ text, type: 'ean13', scale: 2 }), 2)).toEqual(eanRuns('5901234123457'))
  })

  test('UPC-A is EAN-13 with a leading 0', async () => {
    expect(runsOf(await drawn({ text: '03600029145', type: 'upca', scale: 3 }), 3)).toEqual(eanRuns('0036000291452'))
  })

  test('Code 39: wide bars are at least twice the narrow ones, in the order of the table', async () => {
    const runs = runsOf(await drawn({ text: 'AB12', type: 'code39', scale: 3 }), 3)
    const wanted = [...'*AB12*'].map((letter) => CODE39[letter]!).join('n')
    expect(runs.map((length) => (length >= 2 ? 'w' : 'n')).join('')).toBe(wanted)
  })

  test('Code 128: start, symbols, check symbol and stop', async () => {
    const runs = runsOf(await drawn({ text: 'Ab', type: 'code128', scale: 4 }), 4)
    // Start B 104, A 33, b 66; check (104 + 33 + 2 * 66) mod 103 = 63; widths of ISO/IEC 15417, table 1.
    expect(runs).toEqual([...'211214', ...'111323', ...'121421', ...'111224', ...'2331112'].map(Number))
  })

  test('ITF-14: interleaved pairs', async () => {
    const runs = runsOf(await drawn({ text: '1540014128876', type: 'itf14', scale: 2, includeText: false }), 2, 30)
    const table = ['nnwwn', 'wnnnw', 'nwnnw', 'wwnnn', 'nnwnw', 'wnwnn', 'nwwnn', 'nnnww', 'wnnwn', 'nwnwn']
    const pairs = '15400141288763'.match(/../g)!.map((pair) => {
      const [bars, spaces] = [table[Number(pair[0])]!, table[Number(pair[1])]!]
      return [...bars].map((bar, index) => bar + spaces[index]!).join('')
    })
    const inner = runs.length - (4 + 70 + 3)
    // The bearer bars are on both sides of the code.
    const code = runs
      .slice(inner / 2, runs.length - inner / 2)
      .map((length) => (length >= 2 ? 'w' : 'n'))
      .join('')
    expect(code).toBe(`nnnn${pairs.join('')}wnn`)
  })

  test('quiet zone of ten modules', async () => {
    const pixels = await drawn({ text: 'A', scale: 3 })
    for (const x of [0, 29]) expect(isDark(pixels, x, 10)).toBe(false)
    expect(isDark(pixels, 31, 10)).toBe(true)
  })
})

test('Data Matrix: solid left and lower edge, alternating upper and right edge', async () => {
  const scale = 5
  const pixels = await drawn({ text: 'SN 4711', type: 'datamatrix', scale })
  const dark: number[] = []
  for (let x = 0; x < pixels.width; x++) if (isDark(pixels, x, pixels.height >> 1)) dark.push(x)
  const left = dark[0]!
  let bottom = pixels.height - 1
  while (!isDark(pixels, left + 1, bottom)) bottom--
  let top = 0
  while (!isDark(pixels, left + 1, top)) top++
  // A module of a matrix code is drawn twice as wide as the narrowest bar of a linear one.
  const unit = 2 * scale
  const side = (bottom + 1 - top) / unit
  // Three characters and two pairs of digits are 5 code words, which 12 x 12 modules hold (ISO/IEC 16022, table 7).
  expect(side).toBe(12)
  for (let module = 0; module < side; module++) {
    const [x, y] = [left + (module + 0.5) * unit, top + (module + 0.5) * unit].map(Math.floor) as [number, number]
    expect(isDark(pixels, x, bottom - 1)).toBe(true)
    expect(isDark(pixels, left + 1, y)).toBe(true)
    expect(isDark(pixels, x, top + 1)).toBe(module % 2 === 0)
    expect(isDark(pixels, Math.floor(left + (side - 0.5) * unit), y)).toBe(module % 2 === 1)
  }
})

describe('text', () => {
  test('increases the height; no effect on Data Matrix', async () => {
    for (const type of ['code128', 'code39'])
      expect((await drawn({ text: '12345', type })).height).toBeGreaterThan(
        (await drawn({ text: '12345', type, includeText: false })).height,
      )
    expect((await drawn({ text: '12345', type: 'datamatrix' })).height).toBe(
      (await drawn({ text: '12345', type: 'datamatrix', includeText: false })).height,
    )
  })
})

test.each([
  ['ean13', '123'],
  ['ean13', '5901234123458'],
  ['ean13', '59012341234x'],
  ['upca', '036000291453'],
  ['itf14', '15400141288764'],
  ['code39', 'lower~case'],
])('%s cannot encode %s', async (type, text) => {
  await expect(drawn({ text, type })).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
})
