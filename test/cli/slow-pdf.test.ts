import { mkdirSync, writeFileSync } from 'node:fs'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { makePdf } from '../helpers/pdf.ts'
import { buildProgram, namesIn, startProgram, statusOf, useScene } from '../helpers/program.ts'
import { endlessPdf } from '../helpers/slow-pdf.ts'

/* The page would take hours, so a run that ends was stopped. */
const here = useScene()

const RENDER = ['pdf', 'pdf-to-image', '--dpi', '36']
const PIPELINE = 'steps:\n  - pdf/rotate-pdf: { angle: 90 }\n  - pdf/pdf-to-image: { dpi: 36 }\n'

beforeAll(buildProgram, 180_000)
beforeEach(() => {
  writeFileSync(here.at('slow.pdf'), endlessPdf())
  writeFileSync(here.at('turn.yaml'), PIPELINE)
  mkdirSync(here.at('tmp'))
})

const environment = (): Record<string, string> => ({ TMPDIR: here.at('tmp') })
const INPUTS = ['a.jpg', 'slow.pdf', 'tmp', 'turn.yaml']

test.each([
  ['a tool', [...RENDER, 'slow.pdf'], 'pdf/pdf-to-image'],
  ['a pipeline', ['run', 'turn.yaml', 'slow.pdf'], 'pipeline/turn'],
])('%s stops at its time limit while WebAssembly computes, and leaves nothing', async (_, args, name) => {
  const { code, stderr } = await here.start([...args, '--timeout', '1'], { environment: environment() })
  expect(stderr).toContain(`${name} was stopped after its time limit of 1 s (TIMEOUT)`)
  expect(code).toBe(1)
  expect(namesIn(here.path)).toEqual(INPUTS)
})

test.each([
  // Inputs in turn: the output of the first shows that the slow one has started. It counts once it is in its place: while
  // it is still in the staging folder the stop may remove it.
  ['a tool', [...RENDER, 'good.pdf', 'slow.pdf', '-j', '1'], /^good_page-1\.png$/, ['good_page-1.png']],
  // The rotated document is in the scratch folder when rendering starts.
  ['a pipeline', ['run', 'turn.yaml', 'slow.pdf'], /^tmp\/.*\/slow\.pdf$/, []],
])(
  'Ctrl-C ends %s with 130 while WebAssembly computes, and leaves nothing',
  async (_, args, sign, done) => {
    writeFileSync(here.at('good.pdf'), await makePdf({ pages: 1 }))
    const child = startProgram(args, { cwd: here.path, environment: environment() })
    let said = ''
    child.stderr!.on('data', (chunk) => {
      said += chunk
    })
    const ended = statusOf(child)
    while (!namesIn(here.path).some((name) => sign.test(name))) await new Promise((resolve) => setTimeout(resolve, 10))
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(said).toContain('mediaproc: stopping …')
    expect(namesIn(here.path)).toEqual([...INPUTS, 'good.pdf', ...done].sort())
    // The text of the first step's page is read until the memory for it is used up.
  },
  60_000,
)

test('in a batch, stops the slow file and completes the others', async () => {
  const good = await makePdf({ pages: 1 })
  for (const name of ['one.pdf', 'two.pdf']) writeFileSync(here.at(name), good)
  const { code, stdout } = await here.start(
    [...RENDER, 'one.pdf', 'slow.pdf', 'two.pdf', '-j', '2', '--timeout', '15', '--json'],
    { environment: environment() },
  )
  const outcomes = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { ok: boolean; error?: { code: string } })
  expect(outcomes.map(({ ok, error }) => (ok ? 'done' : error!.code))).toEqual(['done', 'TIMEOUT', 'done'])
  expect(code).not.toBe(0)
  expect(namesIn(here.path)).toEqual([...INPUTS, 'one.pdf', 'one_page-1.png', 'two.pdf', 'two_page-1.png'].sort())
})
