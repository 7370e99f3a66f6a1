import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openModel } from '../../src/engines/onnx/session.ts'
import { floats } from '../../src/engines/onnx/tensor.ts'
import { MediaprocError } from '../../src/errors.ts'
import { onnxModel } from '../helpers/onnx.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()
const runtime = createRequire(import.meta.url).resolve('onnxruntime-node')
const OPTIONS = { runtime, threads: 1, device: 'cpu', keepsMemory: true } as const
const never = new AbortController().signal

function write(name: string, graph: Parameters<typeof onnxModel>[0]): string {
  const path = join(folder, name)
  writeFileSync(path, onnxModel(graph))
  return path
}

/** Adds its input to its state. */
const sum = () =>
  write('sum.onnx', {
    inputs: [
      { name: 'x', shape: ['n'] },
      { name: 'before', shape: ['n'] },
    ],
    outputs: [
      { name: 'after', shape: ['n'] },
      { name: 'doubled', shape: ['n'] },
    ],
    nodes: [
      { op: 'Add', inputs: ['x', 'before'], outputs: ['after'] },
      { op: 'Add', inputs: ['x', 'x'], outputs: ['doubled'] },
    ],
  })

test('a model describes its tensors, and computes', async () => {
  const model = await openModel(sum(), OPTIONS)
  expect(model.inputs).toEqual([
    { name: 'x', type: 'float32', shape: ['n'] },
    { name: 'before', type: 'float32', shape: ['n'] },
  ])
  const feeds = { x: floats(Float32Array.of(1, 2), [2]), before: floats(Float32Array.of(10, 20), [2]) }
  const { after, doubled } = await model.run(feeds, { signal: never })
  expect(after).toEqual(floats(Float32Array.of(11, 22), [2]))
  expect(doubled).toEqual(floats(Float32Array.of(2, 4), [2]))
  expect(Object.keys(await model.run(feeds, { signal: never, wanted: ['doubled'] }))).toEqual(['doubled'])
  await model.close()
})

test('carried tensors stay in the thread until released', async () => {
  const model = await openModel(sum(), OPTIONS)
  const x = floats(Float32Array.of(1), [1])
  const run = (feeds: object) =>
    model.run(feeds as never, { signal: never, wanted: ['doubled'], carry: { after: 'before' } })
  await run({ x, before: floats(Float32Array.of(5), [1]) })
  expect(Object.keys(await run({ x }))).toEqual(['doubled'])
  expect((await model.run({ x }, { signal: never, wanted: ['after'] })).after!.data).toEqual(Float32Array.of(8))
  await model.reset()
  await expect(model.run({ x }, { signal: never })).rejects.toMatchObject({ code: 'PROCESSING_FAILED' })
  await model.close()
})

test('kept tensors are passed to later runs until released', async () => {
  const model = await openModel(sum(), OPTIONS)
  const [one, ten] = [1, 10].map((value) => floats(Float32Array.of(value), [1]))
  const wanted = { signal: never, wanted: ['after'] }
  await model.run({ x: one!, before: ten! }, { ...wanted, keep: ['before'] })
  expect((await model.run({ x: one! }, wanted)).after!.data).toEqual(Float32Array.of(11))
  // An explicit input overrides the kept one for that run.
  expect((await model.run({ x: one!, before: one! }, wanted)).after!.data).toEqual(Float32Array.of(2))
  expect((await model.run({ x: one! }, wanted)).after!.data).toEqual(Float32Array.of(11))
  await model.reset()
  await expect(model.run({ x: one! }, wanted)).rejects.toMatchObject({ code: 'PROCESSING_FAILED' })
  await model.close()
})

test('an aborted run is reported as such; neither the model nor the process ends', async () => {
  // Multiplies 300 x 300 numbers repeatedly: long enough to be interrupted.
  const size = 300
  const path = write('slow.onnx', {
    inputs: [{ name: 'x', shape: [size, size] }],
    outputs: [{ name: 'y', shape: [size, size] }],
    nodes: Array.from({ length: 40 }, (_, index) => ({
      op: 'MatMul',
      inputs: [index === 0 ? 'x' : `t${index}`, 'x'],
      outputs: [index === 39 ? 'y' : `t${index + 1}`],
    })),
  })
  const model = await openModel(path, OPTIONS)
  const stop = new AbortController()
  const feeds = { x: floats(new Float32Array(size * size), [size, size]) }
  const running = model.run(feeds, { signal: stop.signal })
  setImmediate(() => stop.abort(new MediaprocError('CANCELED')))
  await expect(running).rejects.toMatchObject({ code: 'CANCELED' })
  expect(model.isAlive).toBe(true)
  expect((await model.run(feeds, { signal: never })).y!.dims).toEqual([size, size])
  await model.close()
})

test('reports a file that is not a model', async () => {
  const path = join(folder, 'none.onnx')
  writeFileSync(path, 'not a model')
  await expect(openModel(path, OPTIONS)).rejects.toMatchObject({
    code: 'PROCESSING_FAILED',
    message: /could not be loaded/,
  })
})
