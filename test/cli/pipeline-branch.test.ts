// biome-ignore-all lint/suspicious/noTemplateCurlyInString: parameters of pipelines look like that
import { readFileSync, writeFileSync } from 'node:fs'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { namesIn, useScene } from '../helpers/program.ts'

const here = useScene()

interface Output {
  path: string
  variant: string
}

/** The mark is a part of a corner of the code, in one colour. */
const TEXT = `params: { colour: "#00ff00" }
variants:
  - name: marked
    steps:
      - image/watermark-image: { watermark: { result: mark }, opacity: 100, scale: 100, position: center }
      - image/convert: { format: png }
  - name: both
    inputs: [{ input: true }, { result: marked }]
    steps: [{ image/stitch: { direction: horizontal } }, { image/convert: { format: png } }]
  - name: mark
    inputs: []
    output: false
    steps:
      - image/qr-generate: { data: a, size: 100, colorDark: "\${colour}" }
      - image/crop: { left: 12, top: 9, width: 20, height: 2 }
output: "out/{stem}-{variant}.{ext}"
`

const colourAt = async (name: string, left: number, top: number): Promise<number[]> => {
  const image = sharp(readFileSync(here.at(name))).removeAlpha()
  return [...(await image.extract({ left, top, width: 1, height: 1 }).raw().toBuffer())]
}

test('variants run in the order of their results: outputs, records, plan', async () => {
  writeFileSync(here.at('p.yaml'), TEXT)
  expect(await here.run(['pipeline', 'validate', 'p.yaml'])).toMatchObject({ code: 0, stdout: 'p.yaml: valid\n' })
  const { stdout: tree } = await here.run(['pipeline', 'explain', 'p.yaml'])
  expect(tree).toContain('inputs: the input, the result of marked')
  expect(tree).toContain('no output: used by marked')
  expect(tree).toContain('"watermark":{"result":"mark"}')
  const explained = JSON.parse((await here.run(['pipeline', 'explain', 'p.yaml', '--json'])).stdout)
  expect(explained.variants[2]).toMatchObject({ name: 'mark', inputs: [], usedBy: ['marked'] })
  const planned = await here.run(['run', 'p.yaml', 'a.jpg', '--dry-run'])
  expect(planned.stdout).toMatch(/out\/a-marked\.png[\s\S]*out\/a-both\.png/)
  expect(planned.stdout).not.toContain('mark.')
  const { code, stdout } = await here.run(['run', 'p.yaml', 'a.jpg', '--set', 'colour=#0000ff', '--json'])
  expect(code).toBe(0)
  const { outputs, steps } = JSON.parse(stdout)
  expect(outputs.map(({ path, variant }: Output) => [path, variant])).toEqual([
    ['out/a-marked.png', 'marked'],
    ['out/a-both.png', 'both'],
  ])
  expect(steps.map(({ variant }: Output) => variant)).toEqual(['mark', 'mark', 'marked', 'marked', 'both', 'both'])
  expect(await colourAt('out/a-marked.png', 20, 10)).toEqual([0, 0, 255])
  expect(await here.widthOf('out/a-both.png')).toBe(80)
  expect(await colourAt('out/a-both.png', 60, 10)).toEqual([0, 0, 255])
  expect((await colourAt('out/a-both.png', 20, 10))[0]).toBeGreaterThan(150)
  expect(namesIn(here.at('out'))).toEqual(['a-both.png', 'a-marked.png'])
})

test('--newer knows what a result depends on, and makes only what is missing', async () => {
  writeFileSync(here.at('p.yaml'), TEXT)
  await here.run(['run', 'p.yaml', 'a.jpg'])
  const again = await here.run(['run', 'p.yaml', 'a.jpg', '--newer', '--json'])
  expect(JSON.parse(again.stdout)).toMatchObject({
    skipped: true,
    outputs: [{ variant: 'marked' }, { variant: 'both' }],
  })
  const { stdout } = await here.run(['run', 'p.yaml', 'a.jpg', '--newer', '--json', '--set', 'colour=red'])
  const changed = JSON.parse(stdout)
  expect(changed.reason).toContain('the setting mark: step 1, image/qr-generate')
  expect(await colourAt('out/a-marked.png', 20, 10)).toEqual([255, 0, 0])
  // The result of an output that is up to date is made again for the other one, but not written.
  const bytes = readFileSync(here.at('out/a-marked.png'))
  writeFileSync(here.at('out/a-both.png'), 'changed')
  const one = await here.run(['run', 'p.yaml', 'a.jpg', '--newer', '--json', '--set', 'colour=red'])
  expect(JSON.parse(one.stdout).steps.map(({ variant }: Output) => variant)).toContain('mark')
  expect(await here.widthOf('out/a-both.png')).toBe(80)
  expect(readFileSync(here.at('out/a-marked.png')).equals(bytes)).toBe(true)
})

test('explain shows no command that depends on a result, or measures its file first', async () => {
  writeFileSync(
    here.at('p.yaml'),
    `variants:
  - { name: music, inputs: [{ input: true }], output: false, steps: [audio/normalize-audio] }
  - { name: film, inputs: [{ input: true }], steps: [{ video/replace-audio: { audio: { result: music } } }, video/mute-video] }
`,
  )
  const { code, stdout } = await here.run(['pipeline', 'explain', 'p.yaml'])
  expect(code).toBe(0)
  expect(stdout.match(/typical file: ffmpeg/g)).toHaveLength(1)
  expect(stdout).toContain('1. audio/normalize-audio')
})

test('a changed file in the inputs of a variant is a reason', async () => {
  await here.picture('b.png')
  await here.picture('c.png', '#0000ff')
  writeFileSync(
    here.at('p.yaml'),
    'variants: [{ name: all, inputs: ["*.png"], steps: [{ image/stitch: { direction: horizontal } }] }]\noutput: "out/{variant}.{ext}"',
  )
  expect(await here.run(['run', 'p.yaml'])).toMatchObject({ code: 0, stdout: 'out/all.png\n' })
  expect(await here.widthOf('out/all.png')).toBe(80)
  await here.picture('c.png', '#00ff00')
  const { stdout } = await here.run(['run', 'p.yaml', '--newer', '--json'])
  expect(JSON.parse(stdout).reason).toContain('c.png')
  await here.picture('d.png')
  expect(JSON.parse((await here.run(['run', 'p.yaml', '--newer', '--json'])).stdout).reason).toContain('inputs of all')
  expect(await here.widthOf('out/all.png')).toBe(120)
})

test('a skipped result skips those that need it, with the reason', async () => {
  await here.picture('b.png')
  writeFileSync(
    here.at('p.yaml'),
    `variants:
  - { name: mark, output: false, when: { type: png }, steps: [{ image/resize: { width: 9 } }] }
  - { name: marked, steps: [{ image/watermark-image: { watermark: { result: mark } } }] }
  - { name: small, steps: [{ image/resize: { width: 5 } }] }
output: "out/{stem}-{variant}.{ext}"
`,
  )
  const { code, stdout, stderr } = await here.run(['run', 'p.yaml', 'a.jpg', 'b.png', '--strict'])
  expect([code, stdout]).toEqual([0, 'out/a-small.jpg\nout/b-marked.png\nout/b-small.png\n'])
  expect(stderr).toContain('marked is skipped: it needs mark, which is only for type png')
})

test('rows, included steps and a matrix use results', async () => {
  writeFileSync(here.at('people.csv'), 'name\nAnn\nBob\n')
  writeFileSync(
    here.at('mark.yaml'),
    'params: { of: }\nsteps: [{ image/watermark-image: { watermark: { result: "${of}" }, opacity: 100 } }]',
  )
  writeFileSync(
    here.at('p.yaml'),
    `rows: people.csv
inputs: a.jpg
matrix: { width: [20, 30] }
variants:
  - { name: code, inputs: [], output: false, steps: [{ image/qr-generate: { data: "\${name}", size: 100 } }] }
  - name: card
    steps: [{ image/resize: { width: "\${width}" } }, { include: mark.yaml, with: { of: code } }]
output: "out/{name}-{width}.{ext}"
`,
  )
  const { code, stdout } = await here.run(['run', 'p.yaml'])
  expect([code, stdout]).toEqual([0, 'out/Ann-20.jpg\nout/Ann-30.jpg\nout/Bob-20.jpg\nout/Bob-30.jpg\n'])
  writeFileSync(here.at('mark.yaml'), 'steps: [{ image/watermark-image: { watermark: { result: cod } } }]')
  writeFileSync(here.at('q.yaml'), 'variants:\n- { name: code, steps: [{ include: mark.yaml }] }')
  const wrong = await here.run(['pipeline', 'validate', 'q.yaml'])
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('mark.yaml:1:57: There is no variant cod. Did you mean code? (included from q.yaml:2:36)'),
  ])
})

test('a failure of a result leaves no file, and fails its input alone', async () => {
  writeFileSync(
    here.at('p.yaml'),
    TEXT.replace('inputs: []', 'inputs: bad.png').replace(/image\/qr-gen.*/, 'image/strip-metadata: {}'),
  )
  writeFileSync(here.at('bad.png'), Buffer.from('89504e470d0a1a0a0000', 'hex'))
  const { code, stdout, stderr } = await here.run(['run', 'p.yaml', 'a.jpg'])
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain('step 1 of mark (image/strip-metadata)')
  expect(namesIn(here.path)).toEqual(['a.jpg', 'bad.png', 'p.yaml'])
})
