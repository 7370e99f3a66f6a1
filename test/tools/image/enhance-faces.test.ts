import { expect, test } from 'vitest'
import { useModel } from '../../../src/models/use-model.ts'
import { applied, inverse, similarity } from '../../../tools/image/_shared/faces/align.ts'
import { restoreFace } from '../../../tools/image/_shared/faces/restore.ts'
import enhanceFaces from '../../../tools/image/restore/enhance-faces.ts'
import { stubModel } from '../../helpers/models.ts'
import type { Graph } from '../../helpers/onnx.ts'
import { fromSamples, photo, put } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const context = { signal: new AbortController().signal, warn: () => undefined }

/** The negative of its input: -1 becomes 1. */
const NEGATIVE: Graph = {
  inputs: [{ name: 'input', shape: [1, 3, 512, 512] }],
  outputs: [{ name: 'output', shape: [1, 3, 512, 512] }],
  nodes: [{ op: 'Neg', inputs: ['input'], outputs: ['output'] }],
}

/** White for a weight of 0, mid-grey for 1: the input of CodeFormer. */
const BY_WEIGHT: Graph = {
  inputs: [
    { name: 'input', shape: [1, 3, 512, 512] },
    { name: 'weight', type: 'float64', shape: [1] },
  ],
  outputs: [{ name: 'output', shape: [1, 3, 512, 512] }],
  constants: [
    { name: 'zero', dims: [1], data: Float32Array.of(0) },
    { name: 'one', dims: [1], data: Float32Array.of(1) },
  ],
  nodes: [
    { op: 'Cast', inputs: ['weight'], outputs: ['share'], attributes: { to: 1 } },
    { op: 'Sub', inputs: ['one', 'share'], outputs: ['rest'] },
    { op: 'Mul', inputs: ['input', 'zero'], outputs: ['nothing'] },
    { op: 'Add', inputs: ['nothing', 'rest'], outputs: ['output'] },
  ],
}

stubModel(folder, 'gfpgan-1.4', NEGATIVE)
stubModel(folder, 'codeformer', BY_WEIGHT)

/** The points of an upright face of 100 px across in the middle of 200 x 200. */
const POINTS = [
  { x: 76, y: 84 },
  { x: 124, y: 84 },
  { x: 100, y: 112 },
  { x: 79, y: 134 },
  { x: 121, y: 134 },
]

const plain = (value: number) => ({
  data: new Uint8Array(200 * 200 * 3).fill(value),
  ...{ width: 200, height: 200, channels: 3 as const, pages: 1 },
})

const at = (data: ArrayLike<number>, x: number, y: number) => data[(y * 200 + x) * 3]

test('a similarity maps points to points, and back', () => {
  const from = [
    { x: 1, y: 2 },
    { x: 11, y: 2 },
    { x: 1, y: 12 },
  ]
  // Twice as large, rotated by a quarter, moved by (5, -3).
  const to = from.map(({ x, y }) => ({ x: -2 * y + 5, y: 2 * x - 3 }))
  const found = similarity(from, to)
  expect([found.a, found.b, found.c, found.d].map((value) => Math.round(value * 1e6) / 1e6)).toEqual([0, 2, 5, -3])
  const there = applied(found, 7, 8)
  expect(applied(inverse(found), there.x, there.y)).toEqual({ x: expect.closeTo(7), y: expect.closeTo(8) })
})

test.each([
  [1, 155],
  [0.5, 128],
  [0, 100],
])('GFPGAN: strength %d blends its output, only around the face', async (strength, wanted) => {
  const samples = plain(100)
  await useModel(['gfpgan-1.4'], context, (model) => restoreFace(samples, POINTS, model, strength))
  expect(Math.abs(at(samples.data, 100, 100)! - wanted)).toBeLessThanOrEqual(1)
  expect(at(samples.data, 2, 2)).toBe(100)
})

test('CodeFormer receives the fidelity', async () => {
  const samples = plain(0)
  await useModel(['codeformer'], context, (model) => restoreFace(samples, POINTS, model, 0.8))
  // Its weight is 0.2: -1 to 1 becomes 0.8 there, 230 of 255.
  expect(Math.abs(at(samples.data, 100, 100)! - 230)).toBeLessThanOrEqual(1)
})

test('a picture without a face is unchanged', async () => {
  const input = await put(folder, 'nobody.png', fromSamples(photo(120, 90)).png())
  const { report, warnings, names } = await run(enhanceFaces, folder, [input])
  expect(names).toEqual(['nobody_enhanced.png'])
  expect(report).toEqual({ facesDetected: 0, faces: [], model: 'none' })
  expect(warnings[0]).toMatch(/No face/)
})
