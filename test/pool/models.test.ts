/** Which process runs a job with a model. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { shareCores, threadsPerProcess } from '../../src/concurrency.ts'
import { findModel } from '../../src/models/manifest.ts'
import { modelFolder } from '../../src/models/store/store-folder.ts'
import { findTool } from '../../src/pipeline/read/find-tool.ts'
import type { Pool } from '../../src/pool/pool.ts'
import { usedBundles } from '../../src/tool/bundles.ts'
import { afterEveryFile } from '../helpers/clean-up.ts'
import { serveModels } from '../helpers/model-source.ts'
import { onnxModel } from '../helpers/onnx.ts'
import { plain, put, readPixels } from '../helpers/picture.ts'
import { testPool, toolTask } from '../helpers/pool.ts'
import { buildProgram } from '../helpers/program.ts'
import { call, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'
import { untilStatus } from '../helpers/server-jobs.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const MODEL = 'scunet-color-real-psnr'
const folder = temporaryFolder()
let picture: string
let graph: string

/** A network that darkens or brightens a picture; all have the same file size. */
const multipliedBy = (factor: number): Buffer =>
  onnxModel({
    inputs: [{ name: 'x', shape: [1, 3, 'h', 'w'] }],
    outputs: [{ name: 'y', shape: [1, 3, 'h', 'w'] }],
    constants: [{ name: 'factor', dims: [1], data: Float32Array.of(factor) }],
    nodes: [{ op: 'Mul', inputs: ['x', 'factor'], outputs: ['y'] }],
  })

beforeAll(async () => {
  buildProgram()
  picture = await put(folder, 'grey.png', plain(64, 64, '#646464').png())
  const file = { name: 'network.onnx', bytes: multipliedBy(0.5) }
  const { store } = await serveModels({ [MODEL]: { files: [file] } }, {}, (clean) => afterEveryFile(clean))
  graph = join(modelFolder(store, findModel(MODEL)!), file.name)
  mkdirSync(dirname(graph), { recursive: true })
})

/** The network's output for the picture's 100. */
async function denoised(pool: Pool): Promise<number> {
  const task = toolTask(folder, 'image/noise-removal', [picture], { tier: 'maximum' })
  const { outputs } = await pool.run(task)
  return (await readPixels(join(task.destination, outputs[0]!.name))).data[0]!
}

const resized = (pool: Pool) => pool.run(toolTask(folder, 'image/resize', [picture], { width: 16 }))

test('loads a model once, and other jobs use another free process', async () => {
  const pool = testPool({ size: 2, memoryMb: 4096 })
  await Promise.all([resized(pool), resized(pool)])
  writeFileSync(graph, multipliedBy(0.5))
  expect(await denoised(pool)).toBe(50)
  // A process that loads it now finds bytes that differ from the manifest and refuses them.
  writeFileSync(graph, multipliedBy(2))
  const [, again] = await Promise.all([resized(pool), denoised(pool)])
  expect(again).toBe(50)
  // While its process is busy, a second one does not wait for it.
  const both = await Promise.allSettled([denoised(pool), denoised(pool)])
  const [used, refused] = both[0].status === 'fulfilled' ? both : both.toReversed()
  expect(used).toMatchObject({ status: 'fulfilled', value: 50 })
  expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'PROCESSING_FAILED' } })
  expect(String((refused as PromiseRejectedResult).reason.message)).toContain('network.onnx is damaged')
})

test('over HTTP, too', async () => {
  const server = await serveHere({ environment: { MEDIAPROC_MODELS: process.env.MEDIAPROC_MODELS! } })
  const token = await signIn(server)
  const job = async (tool: string, settings: object, clientJobId: string) => {
    const file = { name: 'grey.png', bytes: readFileSync(picture) }
    const fields = { settings: JSON.stringify(settings), clientJobId }
    await send(server, `/api/v1/tools/image/${tool}`, [['file', file], ...Object.entries(fields)], token)
    const { result } = await untilStatus(server, token, clientJobId, 'completed', 'failed')
    const { bytes } = await call(server, 'GET', result.downloadUrl, { token })
    return (await readPixels(bytes)).data[0]!
  }
  writeFileSync(graph, multipliedBy(0.5))
  expect(await job('noise-removal', { tier: 'maximum' }, 'first')).toBe(50)
  writeFileSync(graph, multipliedBy(2))
  expect(await job('resize', { width: 16 }, 'other')).toBe(100)
  expect(await job('noise-removal', { tier: 'maximum' }, 'second')).toBe(50)
})

test('knows which models a job may load from its tool and settings', () => {
  const bundles = (tool: string, settings: object) => usedBundles(findTool(tool).entry, { ...settings })
  expect(bundles('image/remove-background', {})).toEqual(['background-removal'])
  expect(bundles('image/noise-removal', { tier: 'quality' })).toEqual(['upscale-enhance'])
  expect(bundles('image/noise-removal', { tier: 'quick' })).toEqual([])
  // The quality is filled in by the tool itself.
  expect(bundles('image/ocr', {})).toEqual(['ocr'])
  expect(bundles('image/ocr', { quality: 'fast' })).toEqual([])
})

test('a model uses the free part of the cores, at least one', () => {
  const cores = availableParallelism()
  expect(threadsPerProcess()).toBe(cores)
  const ends = [shareCores(8)]
  // Jobs of this process take turns.
  expect(threadsPerProcess()).toBe(cores)
  ends.push(shareCores(2, 2))
  expect(threadsPerProcess()).toBe(Math.max(1, Math.round(cores / 2)))
  ends.push(shareCores(100 * cores, 100 * cores))
  expect(threadsPerProcess()).toBe(1)
  for (const end of ends) end()
  expect(threadsPerProcess()).toBe(cores)
})
