import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { openMediaFile } from '../../src/media/file.ts'
import { diagnosticLine } from '../../src/pipeline/read/diagnostics.ts'
import { type ReadOptions, readPipeline } from '../../src/pipeline/read/read.ts'
import { checkWhen } from '../../src/pipeline/when/check-when.ts'
import { meetsWhen, whenText } from '../../src/pipeline/when/condition.ts'
import { FACT_NAMES, type Facts } from '../../src/pipeline/when/facts.ts'
import { readFacts } from '../../src/pipeline/when/read-facts.ts'
import { resolveFor } from '../../src/pipeline/when/resolve-plan.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'
import { makeVideo } from '../helpers/av.ts'
import { planOf } from '../helpers/pipeline.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()
const OPTIONS: ReadOptions = { name: 'x', folder: '/', variables: {}, placeholders: ['stem', 'ext'] }
const PHOTO: Facts = {
  type: 'jpg',
  ext: 'jpeg',
  bytes: 5_000,
  width: 40,
  height: 20,
  orientation: 'landscape',
  alpha: false,
  pages: 1,
}

beforeAll(async () => void (await useScannedCatalogue()))

const conditionOf = (given: unknown) => {
  const diagnostics: Parameters<typeof checkWhen>[0] = []
  const condition = checkWhen(diagnostics, given, [])
  expect(diagnostics).toEqual([])
  return condition
}

async function diagnosticsOf(text: string): Promise<string[]> {
  const { diagnostics } = await readPipeline(text, OPTIONS)
  return diagnostics.map((diagnostic) => diagnosticLine('', diagnostic).slice(1))
}

describe('conditions', () => {
  test.each<[object, boolean, string]>([
    [{ width: { over: 40 } }, false, 'width over 40'],
    [{ width: { over: 39 } }, true, 'width over 39'],
    [{ width: { under: 40 } }, false, 'width under 40'],
    [{ width: { from: 40, to: 40 } }, true, 'width from 40 and to 40'],
    [{ height: 20 }, true, 'height 20'],
    [{ height: [1, '20'] }, true, 'height 1 or 20'],
    [{ bytes: { over: '5kB' } }, false, 'bytes over 5000'],
    [{ bytes: { under: '1 MB', over: '4.9 kB' } }, true, 'bytes over 4900 and under 1000000'],
    [{ alpha: 'no' }, true, 'no alpha'],
    [{ alpha: true }, false, 'alpha'],
    [{ type: 'jpeg' }, true, 'type jpeg'],
    [{ type: ['png', 'image'] }, true, 'type png or image'],
    [{ type: { not: ['png', 'JPG'] } }, false, 'type not png or jpg'],
    [{ ext: '.JPEG' }, true, 'ext jpeg'],
    [{ ext: { not: 'jpg' } }, true, 'ext not jpg'],
    [{ orientation: 'portrait' }, false, 'orientation portrait'],
    [{ duration: { under: '1:30' } }, false, 'duration under 90'],
    [{ width: { over: 39 }, height: { over: 39 } }, false, 'width over 39, height over 39'],
  ])('%j is %s: %s', (given, expected, text) => {
    const condition = conditionOf(given)
    expect([meetsWhen(condition, PHOTO), whenText(condition)]).toEqual([expected, text])
    expect(meetsWhen(JSON.parse(JSON.stringify(condition)), PHOTO)).toBe(expected)
  })

  test.each<[string, string]>([
    ['{ widht: 3 }', '2:11: There is no fact widht of an input. Did you mean width?'],
    ['{ colour: 3 }', '2:11: There is no fact colour of an input. Known are type, ext, bytes,'],
    ['{ width: { more: 3 } }', '2:20: There is no bound more for width. Known are over, under, from, to.'],
    ['{ width: { ovr: 3 } }', '2:20: There is no bound ovr for width. Did you mean over?'],
    ['{ width: {} }', '2:18: Expected over, under, from, to for width, got none'],
    ['{ width: wide }', '2:18: Expected a number'],
    ['{ width: { over: wide } }', '2:26: Expected a number'],
    ['{ type: [jpeg, wepb] }', '2:24: There is no type wepb. Did you mean webp?'],
    ['{ type: { nto: png } }', '2:19: There is no nto for type. Did you mean not?'],
    ['{ type: [] }', '2:17: Expected values for type, got an empty list'],
    ['{ alpha: { over: 2 } }', '2:20: There is no over for alpha. Known are not.'],
    ['{ orientation: tall }', '2:24: Expected one of landscape, portrait or square for orientation, got tall'],
    ['7', '2:9: Expected facts of the input with their values. Such as when: {'],
    ['', '2:9: Expected facts of the input with their values. Such as when: {'],
  ])('a mistake in %s', async (when, expected) => {
    const [first] = await diagnosticsOf(`- image/resize: { width: 8 }\n  when: ${when}`)
    expect(first).toContain(expected)
    const inVariant = await diagnosticsOf(`variants:\n- when: ${when}\n  name: a\n  steps: [image/strip-metadata]`)
    expect(inVariant[0]?.replace(/^2:\d+: /, '')).toBe(first?.replace(/^2:\d+: /, ''))
  })

  test('need one input, and reports have none', async () => {
    expect(await diagnosticsOf('- files/create-zip\n- files/extract-zip:\n  when: { bytes: 3 }')).toContainEqual(
      expect.stringMatching(
        /^3:9: A condition is about one input, and files\/create-zip, the first step, takes several/,
      ),
    )
    expect(await diagnosticsOf('- image/info:\n  when: { bytes: 3 }')).toEqual([
      '2:9: image/info only reports and cannot have a condition',
    ])
  })
})

describe('plans', () => {
  const TEXT = `
- image/resize: { width: 30 }
  when: { width: { over: 30 } }
- tool: image/strip-metadata
  when: { type: jpg }
- image/convert: { format: webp }
  when: { type: { not: webp } }`

  test('fuse the remaining steps', async () => {
    const plan = await planOf(TEXT, OPTIONS)
    expect(plan.facts).toEqual(['width', 'type'])
    const left = (facts: Facts) => {
      const { plan: own, skipped } = resolveFor(plan, facts)
      const groups = own.common.map(({ steps }) => steps.map(({ number }) => number))
      return [groups, skipped.map(({ step, skipped: why }) => `${step} ${why}`)]
    }
    expect(left(PHOTO)).toEqual([[[1, 2, 3]], []])
    expect(left({ ...PHOTO, width: 30 })).toEqual([[[2, 3]], ['1 width over 30']])
    expect(left({ type: 'webp', width: 3 })).toEqual([[], ['1 width over 30', '2 type jpg', '3 type not webp']])
  })

  test('steps of several media accept the inputs of each', async () => {
    const plan = await planOf(
      '- image/resize: { width: 8 }\n  when: { type: image }\n- video/resize-video: { width: 16 }\n  when: { type: video }',
      OPTIONS,
    )
    expect(plan.input.accept).toEqual(expect.arrayContaining(['image', 'video']))
    expect(plan.variants[0]!.output.type).toEqual({ oneOf: ['*'] })
    const surely = await planOf(
      '- image/resize: { width: 8 }\n  when: { width: 9 }\n- image/convert: { format: png }',
      OPTIONS,
    )
    expect(surely.variants[0]!.output.type).toEqual({ is: 'png' })
  })
})

test('facts of files', async () => {
  const all = new Set(FACT_NAMES)
  const { signal } = new AbortController()
  const facts = async (path: string) => readFacts(await openMediaFile(path), all, signal)
  const picture = sharp({ create: { width: 6, height: 4, channels: 4, background: '#c0402080' } })
  const at = (name: string, bytes: Uint8Array): string => {
    writeFileSync(join(folder, name), bytes)
    return join(folder, name)
  }
  expect(await facts(at('a.PNG', await picture.png().toBuffer()))).toMatchObject({
    ...{ type: 'png', ext: 'png', width: 6, height: 4, orientation: 'landscape', alpha: true, pages: 1 },
  })
  const turned = await picture.removeAlpha().withMetadata({ orientation: 6 }).jpeg().toBuffer()
  expect(await facts(at('b.jpg', turned))).toMatchObject({ width: 4, height: 6, orientation: 'portrait', alpha: false })
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="5" height="5"/>')
  expect(await facts(at('c.svg', svg))).toMatchObject({ type: 'svg', bytes: svg.length, orientation: 'square' })
  const video = await makeVideo({ width: 32, height: 24, seconds: 1, rotation: 90 })
  const measured = await facts(video)
  expect(measured).toMatchObject({ type: 'mp4', width: 24, height: 32, duration: expect.closeTo(1, 1) })
  expect(measured).not.toHaveProperty('alpha')
  expect(await facts(at('d.txt', Buffer.from('hello')))).toEqual({ type: 'txt', ext: 'txt', bytes: 5 })
})
