// biome-ignore-all lint/suspicious/noTemplateCurlyInString: parameters of pipelines look like that
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { runPipeline } from '../../src/index.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'
import { useScene } from '../helpers/program.ts'

const here = useScene()
beforeAll(async () => void (await useScannedCatalogue()))

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(here.at(name)), { recursive: true })
    writeFileSync(here.at(name), text)
  }
}

const MAIN = `params: { size: 10 }
steps:
  - image/strip-metadata
  - include: steps/web.yaml
    with: { width: "\${size}", format: png }
output: "{stem}-{size}.{ext}"
`
const WEB = `params: { width: , format: webp }
steps:
  - image/resize: { width: "\${width}" }
  - include: ../formats/one.yaml
    with: { to: "\${format}" }
`
const FORMAT = 'params: { to: webp }\nsteps: [{ image/convert: { format: "${to}" } }]\n'
const FILES = { 'main.yaml': MAIN, 'steps/web.yaml': WEB, 'formats/one.yaml': FORMAT }

async function mistakesOf(files: Record<string, string>): Promise<string[]> {
  write(files)
  const { code, stderr } = await here.run(['pipeline', 'validate', 'main.yaml'])
  expect(code).toBe(2)
  return stderr.split('\n').filter((line) => /:\d+:\d+: /.test(line))
}

describe('include', () => {
  test('inserts the steps, with parameters, relative to each file', async () => {
    write(FILES)
    const run = await here.run(['run', 'main.yaml', 'a.jpg', '--set', 'size=12', '--json'])
    expect(run.stderr).toBe('')
    const { outputs, steps } = JSON.parse(run.stdout) as { outputs: { path: string }[]; steps: object[] }
    expect(outputs).toMatchObject([{ path: 'a-12.png' }])
    expect(steps).toMatchObject([
      { step: 1, tool: 'image/strip-metadata', fused: 3 },
      { step: 2, tool: 'image/resize' },
      { step: 3, tool: 'image/convert' },
    ])
    expect(await sharp(here.at('a-12.png')).metadata()).toMatchObject({ format: 'png', width: 12 })
    const { stdout } = await here.run(['pipeline', 'explain', 'main.yaml'])
    expect(stdout).toContain('2. image/resize {"width":10} (from steps/web.yaml)')
    expect(stdout).toContain('3. image/convert {"format":"png"} (from formats/one.yaml)')
  })

  test('files that steps name are next to the included file; from another folder, by a list, in a variant', async () => {
    write({
      'sub/main.yaml':
        'matrix: { w: [8, 9] }\nvariants: [{ name: v, steps: [{ include: parts/stamp.yaml, with: { w: "${w}" } }] }]',
      'sub/parts/stamp.yaml': 'params: { w: 1 }\nsteps: [{ image/resize: { width: "${w}" } }, { include: list.yaml }]',
      'sub/parts/list.yaml': '- image/watermark-image: { watermark: mark.png, scale: 50 }',
    })
    await here.picture('sub/parts/mark.png', '#0000ff')
    const { code, stdout } = await here.run(['run', 'sub/main.yaml', 'a.jpg'])
    expect([code, stdout]).toEqual([0, 'a_v-8.jpg\na_v-9.jpg\n'])
    expect([await here.widthOf('a_v-8.jpg'), await here.widthOf('a_v-9.jpg')]).toEqual([8, 9])
  })

  test('--newer notices a changed included file, and only that', async () => {
    write(FILES)
    const run = async () => {
      const { stdout } = await here.run(['run', 'main.yaml', 'a.jpg', '--newer', '--json'])
      const { skipped = false, reason } = JSON.parse(stdout) as { skipped?: boolean; reason?: string }
      return [skipped, reason]
    }
    expect([await run(), await run()]).toEqual([
      [false, undefined],
      [true, undefined],
    ])
    write({ 'formats/one.yaml': `# changed\n${FORMAT}` })
    expect(await run()).toEqual([false, 'one.yaml has changed'])
    expect(await run()).toEqual([true, undefined])
    expect(await here.run(['run', 'main.yaml', 'a.jpg', '-o', 'steps/web.yaml'])).toMatchObject({ code: 2 })
  })

  test('mistakes are in the included file, with the includes', async () => {
    const wrong = {
      ...FILES,
      'formats/one.yaml': 'params: { to: webp }\nsteps:\n  - image/convrt: { format: "${ot}" }\n',
    }
    expect(await mistakesOf(wrong)).toEqual([
      'formats/one.yaml:3:5: There is no tool image/convrt. Did you mean image/convert? (included from steps/web.yaml:4:14, main.yaml:4:14)',
      'formats/one.yaml:3:29: There is no parameter or variable ot. Did you mean ${to}? (included from steps/web.yaml:4:14, main.yaml:4:14)',
    ])
    const { stdout } = await here.run(['pipeline', 'validate', 'main.yaml', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      mistakes: [
        {
          ...{ file: 'formats/one.yaml', line: 3, column: 5 },
          included: [
            { file: 'steps/web.yaml', line: 4, column: 14 },
            { line: 4, column: 14 },
          ],
        },
        {},
      ],
    })
    await expect(runPipeline(here.at('main.yaml'), here.at('a.jpg'))).rejects.toMatchObject({
      code: 'INVALID_PIPELINE',
      message: expect.stringContaining('formats/one.yaml:3:5: There is no tool'),
    })
  })

  test.each<[string, Record<string, string>, string[]]>([
    [
      'a value out of range, at its use',
      { 'main.yaml': MAIN.replace('10', '0') },
      ['steps/web.yaml:3:28: Expected an integer from 1 to 16383 for width, got 0 (included from main.yaml:4:14)'],
    ],
    [
      'a missing parameter',
      { 'main.yaml': '- include: steps/web.yaml' },
      ['main.yaml:1:3: steps/web.yaml needs the parameter width. Give it in the include, such as with: { width: … }'],
    ],
    [
      'a misspelled parameter and one of the wrong type',
      {
        'main.yaml': '- include: formats/one.yaml\n  with: { ot: png }\n- include: n.yaml\n  with: { n: much }',
        'n.yaml': 'params: { n: 3 }\nsteps: [{ image/resize: { width: "${n}" } }]',
      },
      [
        'main.yaml:2:11: formats/one.yaml has no parameter ot. Did you mean to?',
        'main.yaml:4:14: Expected a number for the parameter n, got much',
      ],
    ],
    [
      'a file that does not exist',
      { 'main.yaml': '- include: steps/wbe.yaml\n- include: none/x.yaml\n- include: steps' },
      [
        'main.yaml:1:12: The file steps/wbe.yaml does not exist. Did you mean steps/web.yaml?',
        'main.yaml:2:12: The file none/x.yaml does not exist. It is looked for next to the file that includes it.',
        'main.yaml:3:12: steps is not a file',
      ],
    ],
    [
      'variables and addresses as paths, and variables as tools',
      {
        'main.yaml':
          '- include: "${HOME}/x.yaml"\n- include: https://example.org/x.yaml\n- include:\n- { tool: "${T}" }\n- "${T}"\n- "${T}": {}',
      },
      [
        'main.yaml:1:12: The path of an include is literal, and ${HOME}/x.yaml has a variable. Give the file values with with.',
        'main.yaml:2:12: Expected a local file to include, got https://example.org/x.yaml',
        'main.yaml:3:11: Expected the file of steps to include, got nothing',
        ...['4:11', '5:3', '6:3'].map(
          (place) =>
            `main.yaml:${place}: A tool is named literally, and \${T} has a variable. Write a step for each tool, with when, or pipelines that include the same steps.`,
        ),
      ],
    ],
    [
      'other keys',
      {
        'main.yaml': '- include: x.yaml\n  when: { width: 3 }\n- include: x.yaml\n  wiht: {}\n- include: x.yaml',
        'x.yaml': 'variants: []\noutput: "{stem}"\nsteps: [image/strip-metadata]\nstps: []',
      },
      [
        'main.yaml:2:3: An include cannot have a condition. Give it to the steps in the included file.',
        'main.yaml:4:3: There is no key wiht here. Did you mean with?',
        'x.yaml:1:1: An included file has only steps and params, not variants. Move it to the pipeline. (included from main.yaml:5:12)',
        'x.yaml:2:1: An included file has only steps and params, not output. Move it to the pipeline. (included from main.yaml:5:12)',
        'x.yaml:4:1: There is no key stps here. Did you mean steps? (included from main.yaml:5:12)',
      ],
    ],
    [
      'no YAML, no steps',
      {
        'main.yaml': '- include: x.yaml\n- include: y.yaml\n- include: z.yaml',
        'x.yaml': 'a: [',
        'y.yaml': '',
        'z.yaml': 'params: { a: 1 }',
      },
      [
        expect.stringMatching(/^x\.yaml:\d+:\d+: .* \(included from main\.yaml:1:12\)$/) as unknown as string,
        'y.yaml:1:1: Expected steps, got nothing. An included file has a key steps. (included from main.yaml:2:12)',
        'z.yaml:1:1: Expected steps, got none (included from main.yaml:3:12)',
      ],
    ],
    [
      'cycles',
      {
        'main.yaml': '- include: x.yaml',
        'x.yaml': '- include: y.yaml',
        'y.yaml': '- include: x.yaml\n- include: main.yaml',
      },
      [
        'y.yaml:1:12: x.yaml would include itself: x.yaml → y.yaml → x.yaml (included from x.yaml:1:12, main.yaml:1:12)',
        'y.yaml:2:12: main.yaml would include itself: the pipeline → x.yaml → y.yaml → main.yaml (included from x.yaml:1:12, main.yaml:1:12)',
      ],
    ],
    [
      'too many steps',
      { 'main.yaml': '- include: x.yaml\n- include: x.yaml', 'x.yaml': '- image/strip-metadata\n'.repeat(11) },
      [
        'x.yaml:10:3: A file goes through at most 20 steps, and these are 22. Raise the limit with MAX_PIPELINE_STEPS. (included from main.yaml:2:12)',
      ],
    ],
  ])('diagnostics: %s', async (_name, files, expected) => {
    expect(await mistakesOf({ ...FILES, ...files })).toEqual(expected)
  })

  test('levels and the number of values have limits, also with links and files that double', async () => {
    const deep = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`d${index}.yaml`, `- include: d${index + 1}.yaml`]),
    )
    const [message] = await mistakesOf({ ...deep, 'd12.yaml': '- image/info', 'main.yaml': '- include: d0.yaml' })
    expect(message).toContain('Files can include each other 10 levels deep, and this is one more')
    const doubling = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`e${index}.yaml`, `- include: e${index + 1}.yaml\n`.repeat(12)]),
    )
    const many = await mistakesOf({
      ...doubling,
      'e9.yaml': '- image/strip-metadata',
      'main.yaml': '- include: e0.yaml',
    })
    expect(many.join('\n')).toContain('The included files have more than 2000 steps')
    symlinkSync('loop.yaml', here.at('loop.yaml'))
    expect((await mistakesOf({ 'main.yaml': '- include: loop.yaml' })).join()).toContain('loop.yaml')
  })
})
