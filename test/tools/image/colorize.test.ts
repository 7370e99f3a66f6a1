import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { replaceModel } from '../../../src/models/store/installed.ts'
import { labOf, linearOfLab } from '../../../tools/image/_shared/colour/lab.ts'
import { linearOf } from '../../../tools/image/_shared/colour/srgb.ts'
import colorize from '../../../tools/image/restore/colorize.ts'
import { stubModel } from '../../helpers/models.ts'
import type { Graph } from '../../helpers/onnx.ts'
import { fromSamples, photo, png16, put } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** a* 30 and b* -20 everywhere, plus a hundredth of the input, so that the input is visible. */
function network(side: number, channels: 1 | 3): Graph {
  return {
    inputs: [{ name: 'input', shape: [1, channels, side, side] }],
    outputs: [{ name: 'output', shape: [1, 2, side, side] }],
    constants: [
      { name: 'zero', dims: [1], data: BigInt64Array.of(0n) },
      { name: 'one', dims: [1], data: BigInt64Array.of(1n) },
      { name: 'a', dims: [1], data: Float32Array.of(30) },
      { name: 'b', dims: [1], data: Float32Array.of(-20) },
      { name: 'little', dims: [1], data: Float32Array.of(0.01) },
    ],
    nodes: [
      { op: 'Slice', inputs: ['input', 'zero', 'one', 'one'], outputs: ['plane'] },
      { op: 'Mul', inputs: ['plane', 'little'], outputs: ['trace'] },
      { op: 'Add', inputs: ['trace', 'a'], outputs: ['as'] },
      { op: 'Add', inputs: ['trace', 'b'], outputs: ['bs'] },
      { op: 'Concat', inputs: ['as', 'bs'], outputs: ['output'], attributes: { axis: 1 } },
    ],
  }
}

stubModel(folder, 'ddcolor-tiny', network(512, 3))
stubModel(folder, 'colorization-eccv16', network(256, 1))

const grey = () =>
  put(
    folder,
    'grey.png',
    sharp({ create: { width: 40, height: 30, channels: 3, background: '#808080' } })
      .toColourspace('b-w')
      .png(),
  )

async function labAt(path: string) {
  const { data } = await sharp(path).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const [red, green, blue] = [...data.subarray(0, 3)].map((value) => linearOf(value / 255))
  return labOf(red!, green!, blue!)
}

describe.each([
  ['auto', 'ddcolor', 0.005],
  ['ddcolor', 'ddcolor', 0.005],
  // The classical network receives L* itself: 53.6 of it.
  ['opencv', 'opencv', 0.536],
] as const)('%s', (model, method, trace) => {
  test('uses the colours of the network, and the lightness of the picture', async () => {
    const { paths, names, report } = await run(colorize, folder, [await grey()], { model })
    expect(names).toEqual(['grey_colorized.png'])
    expect(report).toEqual({ width: 40, height: 30, method })
    const { lightness, a, b } = await labAt(paths[0]!)
    expect(Math.abs(lightness - 53.6)).toBeLessThan(0.5)
    expect(Math.abs(a - 30 - trace)).toBeLessThan(0.5)
    expect(Math.abs(b + 20 - trace)).toBeLessThan(0.6)
  })
})

test('intensity scales the colours', async () => {
  const { paths } = await run(colorize, folder, [await grey()], { intensity: 0.5 })
  expect(Math.abs((await labAt(paths[0]!)).a - 15)).toBeLessThan(0.6)
  const none = await run(colorize, folder, [await grey()], { intensity: 0 })
  expect(Math.abs((await labAt(none.paths[0]!)).a)).toBeLessThan(0.3)
})

test('keeps 16 bit and alpha', async () => {
  const { data, ...shape } = photo(20, 16, 4)
  const deep = await put(
    folder,
    'deep.png',
    await png16({ ...shape, data: Uint16Array.from(data, (value) => value * 257) }),
  )
  const { paths } = await run(colorize, folder, [deep])
  expect(await sharp(paths[0]!).metadata()).toMatchObject({ depth: 'ushort', channels: 4 })
  const alpha = await sharp(paths[0]!).extractChannel(3).raw().toBuffer()
  expect(alpha).toEqual(
    await fromSamples(photo(20, 16, 4))
      .extractChannel(3)
      .raw()
      .toBuffer(),
  )
})

test('Lab round trip', () => {
  for (const [red, green, blue] of [
    [0.1, 0.5, 0.9],
    [0, 0, 0],
    [1, 1, 1],
    [0.004, 0.001, 0.002],
  ] as const) {
    const { lightness, a, b } = labOf(red, green, blue)
    const back = linearOfLab(lightness, a, b)
    for (const [at, value] of [red, green, blue].entries()) expect(back[at]).toBeCloseTo(value, 4)
  }
})

test('falls back to the classical network; without both the report says what to install', async () => {
  replaceModel('ddcolor-tiny', 'absent')
  expect((await run(colorize, folder, [await grey()])).report).toMatchObject({ method: 'opencv' })
  await expect(run(colorize, folder, [await grey()], { model: 'ddcolor' })).rejects.toMatchObject({
    code: 'FEATURE_NOT_INSTALLED',
  })
})
