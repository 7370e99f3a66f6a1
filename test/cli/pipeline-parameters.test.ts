// biome-ignore-all lint/suspicious/noTemplateCurlyInString: parameters of pipelines look like that
import { writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { runPipeline } from '../../src/index.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'
import { useScene } from '../helpers/program.ts'

const here = useScene()
beforeAll(async () => void (await useScannedCatalogue()))

const TEXT = `params:
  width: { default: 10, description: of the picture }
  format: png
  password:
steps:
  - image/resize: { width: "\${width}" }
  - image/convert: { format: "\${format}" }
output: "{stem}-{width}.{ext}"
`
const OPTIONAL = TEXT.replace('  password:\n', '')

describe('--set', () => {
  test('runs with defaults and with given values', async () => {
    writeFileSync(here.at('p.yaml'), OPTIONAL)
    expect(await here.run(['run', 'p.yaml', 'a.jpg'])).toMatchObject({ code: 0, stdout: 'a-10.png\n', stderr: '' })
    const wide = await here.run(['run', 'p.yaml', 'a.jpg', '--set', 'width=12', '--set=format=webp'])
    expect(wide).toMatchObject({ code: 0, stdout: 'a-12.webp\n', stderr: '' })
    expect(await here.widthOf('a-12.webp')).toBe(12)
    const planned = await here.run(['run', 'p.yaml', 'a.jpg', '--set', 'width=13', '--dry-run'])
    expect(planned.stdout).toContain('a-13.png')
    expect((await here.run(['run', 'p.yaml', 'a.jpg', '--newer', '--set', 'width=10'])).code).toBe(0)
  })

  test('--newer recreates the output for another value', async () => {
    writeFileSync(here.at('p.yaml'), OPTIONAL.replace('-{width}', ''))
    const run = async (width: string) => {
      const { stdout } = await here.run(['run', 'p.yaml', 'a.jpg', '--newer', '--json', '--set', `width=${width}`])
      return (JSON.parse(stdout) as { skipped?: boolean }).skipped ?? false
    }
    expect([await run('11'), await run('11'), await run('12'), await run('12')]).toEqual([false, true, false, true])
    expect(await here.widthOf('a.png')).toBe(12)
  })

  test('a required parameter, validate and explain', async () => {
    writeFileSync(here.at('p.yaml'), TEXT)
    const missing = await here.run(['pipeline', 'validate', 'p.yaml'])
    expect(missing).toMatchObject({ code: 2, stdout: '' })
    expect(missing.stderr).toContain('p.yaml:4:3: The parameter password has no value. Give it with --set password=…')
    expect((await here.run(['run', 'p.yaml', 'a.jpg'])).stderr).toContain('p.yaml:4:3: ')
    expect(await here.run(['pipeline', 'validate', 'p.yaml', '--set', 'password=x'])).toMatchObject({
      ...{ code: 0, stdout: 'p.yaml: valid\n' },
    })
    const { stdout } = await here.run(['pipeline', 'explain', 'p.yaml', '--set', 'password=geheim'])
    expect(stdout).toContain('width (default 10): of the picture')
    expect(stdout).toContain('password (required)')
    expect(stdout).not.toContain('geheim')
    const json = await here.run(['pipeline', 'explain', 'p.yaml', '--set', 'password=geheim', '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({
      parameters: [{ name: 'width', default: 10 }, { name: 'format' }, { name: 'password' }],
    })
    expect(json.stdout).not.toContain('geheim')
  })

  test.each<[string[], string]>([
    [['--set', 'widht=3'], 'The pipeline has no parameter widht'],
    [['--set', 'width'], 'Expected NAME=VALUE for --set, got width'],
    [['--set', '=3'], 'Expected NAME=VALUE for --set, got =3'],
    [['--set', 'width=3', '--set', 'width=4'], 'Expected one value for --set width, got two'],
    [['--set', 'width=wide'], 'Expected a number for the parameter width, got wide'],
    [['--set'], 'Expected a value for --set, got nothing'],
  ])('%j is an error', async (args, message) => {
    writeFileSync(here.at('p.yaml'), OPTIONAL)
    const { code, stderr } = await here.run(['run', 'p.yaml', 'a.jpg', ...args])
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  test('is in the help of the two commands only', async () => {
    expect((await here.run(['run', '--help'])).stdout).toContain('--set NAME=VALUE')
    expect((await here.run(['pipeline', '--help'])).stdout).toContain('--set NAME=VALUE')
    expect((await here.run(['image', 'resize', '--help'])).stdout).not.toContain('--set ')
    expect((await here.run(['image', 'resize', 'a.jpg', '--set', 'width=3'])).code).toBe(2)
  })
})

test('params of the library', async () => {
  const pipeline = { params: { width: 10 }, steps: [{ 'image/resize': { width: '${width}' } }] }
  const options = { as: 'buffer', params: { width: 7 } } as const
  const { outputs } = await runPipeline(pipeline, here.at('a.jpg'), options)
  expect(outputs).toHaveLength(1)
  await expect(runPipeline(pipeline, here.at('a.jpg'), { ...options, params: { height: 7 } })).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
    message: 'The pipeline has no parameter height',
  })
})
