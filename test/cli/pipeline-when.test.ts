import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { namesIn, useScene } from '../helpers/program.ts'

const here = useScene()

const TEXT = `steps:
  - image/resize: { width: 30 }
    when: { width: { over: 30 } }
  - image/rotate: { angle: 90 }
    when: { orientation: landscape }
variants:
  - { name: small, steps: [{ image/resize: { width: 5 } }, { image/convert: { format: png } }] }
  - { name: jpeg, when: { type: jpg }, steps: [{ image/convert: { format: jpg } }] }
output: "out/{stem}-{variant}.{ext}"
`

test('skips steps and variants by facts of each input, and records them', async () => {
  writeFileSync(here.at('p.yaml'), TEXT)
  await here.picture('b.png')
  expect((await here.run(['pipeline', 'validate', 'p.yaml'])).code).toBe(0)
  const explained = await here.run(['pipeline', 'explain', 'p.yaml'])
  expect(explained.stdout).toContain('1. image/resize {"width":30} (only for width over 30)')
  expect(explained.stdout).toContain('variant jpeg (only for type jpg)')
  const forOne = await here.run(['pipeline', 'explain', 'p.yaml', 'b.png'])
  expect(forOne.stdout).toContain('skipped for this input')
  expect(forOne.stdout).not.toContain('variant jpeg')
  const planned = await here.run(['run', 'p.yaml', 'a.jpg', 'b.png', '--dry-run'])
  expect(planned.stdout).toContain('out/a-jpeg.jpg')
  expect(planned.stdout).not.toContain('b-jpeg')
  const { code, stdout } = await here.run(['run', 'p.yaml', 'a.jpg', 'b.png', '--json'])
  expect(code).toBe(0)
  const [one, two] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(one.outputs.map(({ path }: { path: string }) => path)).toEqual(['out/a-small.png', 'out/a-jpeg.jpg'])
  expect(two.outputs.map(({ path }: { path: string }) => path)).toEqual(['out/b-small.png'])
  expect(two.steps).toContainEqual({
    ...{ step: 3, tool: 'image/convert', variant: 'jpeg', ms: 0, fused: 1, skipped: 'type jpg' },
  })
  expect(await here.widthOf('out/a-jpeg.jpg')).toBe(15)
  const again = await here.run(['run', 'p.yaml', 'a.jpg', 'b.png', '--newer', '--json'])
  expect(again.stdout.match(/"skipped":true/g)).toHaveLength(2)
})

test('without a step that applies, the input is the output', async () => {
  writeFileSync(
    here.at('p.yaml'),
    'steps:\n  - image/resize: { width: 50 }\n    when: { width: { over: 50 } }\noutput: "out/{stem}.{ext}"',
  )
  expect(await here.run(['run', 'p.yaml', 'a.jpg'])).toMatchObject({ code: 0, stdout: 'out/a.jpg\n', stderr: '' })
  expect(await here.widthOf('out/a.jpg')).toBe(40)
})

test('without a variant that applies, nothing is written, with a warning', async () => {
  writeFileSync(
    here.at('p.yaml'),
    'variants: [{ name: a, when: { type: png }, steps: [{ image/resize: { width: 5 } }] }]',
  )
  const { code, stderr } = await here.run(['run', 'p.yaml', 'a.jpg'])
  expect([code, stderr]).toEqual([0, expect.stringContaining('no variant of the pipeline is for this input')])
  expect(namesIn(here.path)).toEqual(['a.jpg', 'p.yaml'])
})

test('a damaged input fails alone', async () => {
  writeFileSync(here.at('p.yaml'), TEXT)
  writeFileSync(here.at('c.jpg'), Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 1, 2]))
  const { code, stdout, stderr } = await here.run(['run', 'p.yaml', 'c.jpg', 'a.jpg'])
  expect([code, stdout]).toEqual([1, 'out/a-small.png\nout/a-jpeg.jpg\n'])
  expect(stderr).toContain('c.jpg')
})
