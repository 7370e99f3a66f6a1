import { expect, onTestFinished, test } from 'vitest'
import { bundlesOf, requirementsFor, toolsOf } from '../../src/tool/bundles.ts'
import { catalogue, findEntry } from '../../src/tool/registry.ts'

test("bundles and tools are linked by the tools' declarations", () => {
  const declaring = catalogue().filter((entry) => bundlesOf(entry).length > 0)
  expect(declaring.length).toBeGreaterThan(0)
  for (const entry of declaring) for (const id of bundlesOf(entry)) expect(toolsOf(id)).toContain(entry)
  expect(toolsOf('no such bundle')).toEqual([])
})

test('a name is a bundle, a model, or a tool with all that it declares', () => {
  expect(requirementsFor('ocr', 'light')).toEqual([
    { bundle: 'ocr', tier: 'light', models: ['ppocrv4-det-mobile', 'ppocrv4-rec-mobile', 'ppocr-cls-v2'] },
  ])
  expect(requirementsFor('tesseract-deu', 'standard')).toEqual([{ tier: 'standard', models: ['tesseract-deu'] }])
  expect(requirementsFor('runtime', 'light')).toEqual([{ tier: 'light', models: ['onnxruntime'] }])
  for (const name of ['smart-crop', 'image/smart-crop'])
    expect(requirementsFor(name, 'light')).toEqual([
      { bundle: 'face-detection', tier: 'light', models: ['yunet-2023mar', 'openseeface-lm66'] },
    ])
})

test('tools that share a bundle get the part that they use', () => {
  const wanted = (name: string) => requirementsFor(name, 'standard').flatMap(({ models }) => models)
  expect(wanted('image/noise-removal')).toEqual(['scunet-color-real-psnr'])
  expect(wanted('image/enhance-faces')).toEqual(['gfpgan-1.4', 'yunet-2023mar', 'openseeface-lm66'])
  expect(wanted('image/colorize')).toEqual(['ddcolor-tiny', 'colorization-eccv16'])
  expect(wanted('image/erase-object')).toEqual(['lama', 'migan-512-places2'])
  expect(wanted('image/upscale')).not.toContain('gfpgan-1.4')
})

test('a tool that declares its models gets no others', () => {
  const entry = findEntry('image/smart-crop')
  const before = entry.models
  onTestFinished(() => void Object.assign(entry, { models: before }))
  Object.assign(entry, { models: ['yunet-2023mar', 'yunet-n'] })
  expect(requirementsFor('image/smart-crop', 'standard')[0]!.models).toEqual(['yunet-2023mar'])
  // If the tier has none of them, it gets the whole tier: the tool must work.
  Object.assign(entry, { models: ['yunet-n'] })
  expect(requirementsFor('image/smart-crop', 'light')[0]!.models).toEqual(['yunet-2023mar', 'openseeface-lm66'])
})
