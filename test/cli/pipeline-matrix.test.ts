// biome-ignore-all lint/suspicious/noTemplateCurlyInString: parameters of pipelines look like that
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { namesIn, useScene } from '../helpers/program.ts'

const here = useScene()

test('a matrix writes each combination once', async () => {
  writeFileSync(
    here.at('p.yaml'),
    `matrix: { width: [10, 20], format: [webp, png], exclude: [{ width: 20, format: png }] }
steps:
  - image/rotate: { angle: 180 }
  - image/resize: { width: "\${width}" }
  - image/convert: { format: "\${format}" }
output: "out/{stem}-{width}.{ext}"
`,
  )
  expect((await here.run(['pipeline', 'validate', 'p.yaml'])).code).toBe(0)
  const explained = await here.run(['pipeline', 'explain', 'p.yaml'])
  expect(explained.stdout).toContain('variant 10-webp')
  const planned = await here.run(['run', 'p.yaml', 'a.jpg', '--dry-run'])
  expect(planned.stdout).toContain('out/a-20.webp')
  const { code, stdout } = await here.run(['run', 'p.yaml', 'a.jpg', '--json'])
  expect(code).toBe(0)
  const { outputs, steps } = JSON.parse(stdout)
  expect(outputs.map(({ path, variant }: { path: string; variant: string }) => [path, variant])).toEqual([
    ['out/a-10.webp', '10-webp'],
    ['out/a-10.png', '10-png'],
    ['out/a-20.webp', '20-webp'],
  ])
  expect(steps.filter(({ tool }: { tool: string }) => tool === 'image/rotate')).toHaveLength(1)
  expect(await here.widthOf('out/a-20.webp')).toBe(20)
  expect(namesIn(here.at('out'))).toEqual(['a-10.png', 'a-10.webp', 'a-20.webp'])
  expect((await here.run(['run', 'p.yaml', 'a.jpg', '--newer', '--json'])).stdout).toContain('"skipped":true')
})
