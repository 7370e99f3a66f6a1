// One contender of `npm run bench:models`, in its own process: a model on the same tensors in a bare onnxruntime
// session or in ours, or mattes with hand-written code for sharp and that session. Prints JSON.
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import sharp from 'sharp'
import { findRuntime } from '../dist/src/models/runtime.js'
import { useModel } from '../dist/src/models/use-model.js'
import { median } from './statistics.mjs'

const { entry } = await findRuntime()
const threads = availableParallelism()
/** Inputs of the networks used by the loop: IS-Net as its publisher does. */
const SIDE = 1024

/** The same random numbers in every process. */
const tensorOf = (shape) =>
  Float32Array.from({ length: shape.reduce((all, one) => all * one, 1) }, (_, at) => ((at * 7919) % 1009) / 1009)

async function bareSession(model, options = {}) {
  const ort = createRequire(import.meta.url)(entry)
  const session = await ort.InferenceSession.create(model, {
    intraOpNumThreads: threads,
    logSeverityLevel: 3,
    ...options,
  })
  return async (data, shape) => {
    const outputs = await session.run({ [session.inputNames[0]]: new ort.Tensor('float32', data, shape) })
    return outputs[session.outputNames[0]].data
  }
}

/** Runs on the same tensor; the first one is not counted. */
async function timed(run, shapeText, countText) {
  const shape = shapeText.split('x').map(Number)
  const data = tensorOf(shape)
  const [ms, cpuMs] = [[], []]
  let answer
  for (let round = 0; round <= Number(countText); round += 1) {
    const [from, cpu] = [performance.now(), process.cpuUsage()]
    answer = await run(data, shape)
    const { user, system } = process.cpuUsage(cpu)
    if (round === 0) continue
    ms.push(performance.now() - from)
    cpuMs.push((user + system) / 1000)
  }
  const sum = answer.reduce((all, value) => all + value, 0)
  return { ms: median(ms), cpuMs: median(cpuMs), sum }
}

const bare = async (_id, model, ...rest) => timed(await bareSession(model), ...rest)

/** As our code runs models that use more than a gigabyte per run. */
const givenBack = async (_id, model, ...rest) =>
  timed(await bareSession(model, { enableCpuMemArena: false, enableMemPattern: false }), ...rest)

/** As the tools do, on a worker thread. */
const ours = (id, _model, ...rest) =>
  useModel([id], { signal: new AbortController().signal, warn: console.error }, (model) =>
    timed(
      async (data, shape) => {
        const feeds = { [model.inputs[0].name]: { type: 'float32', data, dims: shape } }
        return (await model.run(feeds))[model.outputs[0].name].data
      },
      ...rest,
    ),
  )

async function mattes(model, folder, ...files) {
  const run = await bareSession(model)
  for (const file of files) {
    const picture = sharp(file).removeAlpha()
    const { width, height } = await picture.metadata()
    const small = await picture.clone().resize(SIDE, SIDE, { fit: 'fill' }).raw().toBuffer()
    const planes = new Float32Array(3 * SIDE * SIDE)
    for (let at = 0; at < SIDE * SIDE; at += 1)
      for (let plane = 0; plane < 3; plane += 1) planes[plane * SIDE * SIDE + at] = (small[at * 3 + plane] - 128) / 256
    const answer = await run(planes, [1, 3, SIDE, SIDE])
    const bytes = Buffer.from(Uint8Array.from(answer, (value) => value * 255 + 0.5))
    const matte = sharp(bytes, { raw: { width: SIDE, height: SIDE, channels: 1 } })
    const alpha = await matte.resize(width, height, { fit: 'fill' }).extractChannel(0).raw().toBuffer()
    const raw = { width, height, channels: 1 }
    await picture
      .joinChannel(alpha, { raw })
      .png()
      .toFile(join(folder, `${basename(file)}.png`))
  }
  return {}
}

const [job, ...args] = process.argv.slice(2)
const jobs = { bare, givenBack, ours, mattes }
const done = await jobs[job](...args)
const { user, system } = process.cpuUsage()
const peakMb = process.resourceUsage().maxRSS / 1024
process.stdout.write(`${JSON.stringify({ ...done, peakMb, allCpuMs: (user + system) / 1000 })}\n`, () =>
  process.exit(0),
)
