import { expect, test } from 'vitest'
import { type Part, placesOfBars } from '../../../../tools/image/codes/barcode-read/regions.ts'
import { randomFrom } from '../../../helpers/random.ts'

const SIZE = 640

/** A grey picture of a function of its pixels. */
function picture(sample: (x: number, y: number) => number) {
  const data = Buffer.from(
    Uint8Array.from({ length: SIZE * SIZE }, (_, at) => sample(at % SIZE, Math.floor(at / SIZE))),
  )
  return { data, width: SIZE, height: SIZE }
}

/** Bars of two and three pixels in a field of 200 x 80, turned clockwise about the middle of the picture. */
function label(angle: number, contrast = 150) {
  const [cos, sin] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)]
  return (x: number, y: number): number => {
    const [across, down] = [x - SIZE / 2, y - SIZE / 2]
    const [along, off] = [across * cos + down * sin, down * cos - across * sin]
    return Math.abs(along) < 100 && Math.abs(off) < 40 && (along + 100) % 5 < 2 ? 200 - contrast : 200
  }
}

const holds = ({ left, top, right, bottom }: Part): boolean => left < 0.4 && top < 0.4 && right > 0.6 && bottom > 0.6

test.each([0, 18, 36, 54, 72, 90, 108, 126, 144, 162])(
  'bars rotated by %i degrees are one region, rotated back',
  (angle) => {
    const places = placesOfBars(picture(label(angle)))
    const back = 180 - angle
    expect(places(back, 180)).toHaveLength(1)
    expect(places(back, 180).every(holds)).toBe(true)
    const [{ left, top, right, bottom }] = places(back, 180) as [Part]
    expect((right - left) * (bottom - top)).toBeLessThan(0.6)
    // A reader that searches horizontal bars itself finds these after a quarter turn, too; another one skips them.
    expect(places(back + 90, 90).every(holds)).toBe(true)
    expect(places(back + 90, 180)).toEqual([])
  },
)

test('finds pale bars in noise', () => {
  const random = randomFrom(5).next
  const bars = label(0, 40)
  const places = placesOfBars(picture((x, y) => bars(x, y) + (random() + random() - 1) * 20))
  expect(places(0, 180).some(holds)).toBe(true)
})

test.each<[string, (x: number, y: number) => number]>([
  ['one edge', (x) => (x < 300 ? 40 : 200)],
  ['a soft slope', (x, y) => (x + y) / 8],
  [
    'noise',
    (() => {
      const random = randomFrom(9).next
      return () => random() * 255
    })(),
  ],
  ['a chessboard', (x, y) => (((x >> 2) + (y >> 2)) % 2 === 0 ? 30 : 220)],
])('finds no bars in %s', (_, sample) => {
  const places = placesOfBars(picture(sample))
  for (let angle = 0; angle < 180; angle += 18) expect(places(angle, 180)).toEqual([])
})

test('a small picture is one region', () => {
  const places = placesOfBars({ data: Buffer.alloc(100 * 100), width: 100, height: 100 })
  expect(places(54, 180)).toEqual([{ left: 0, top: 0, right: 1, bottom: 1 }])
})
