// biome-ignore-all lint/suspicious/noTemplateCurlyInString: parameters of pipelines look like that
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { runPipeline } from '../../src/index.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'
import { namesIn, useScene } from '../helpers/program.ts'

const here = useScene()
beforeAll(async () => void (await useScannedCatalogue()))

interface Line {
  row: number
  line?: number
  ok: boolean
  skipped?: boolean
  reason?: string
  input: unknown
  outputs: { path: string }[]
  error?: { code: string; message: string }
}

const write = (name: string, text: string | Buffer): void => writeFileSync(here.at(name), text)
const linesOf = (stdout: string): Line[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

/** A picture of the width in the row. */
const WIDTHS = 'rows: sizes.csv\nsteps: [{ image/resize: { width: "${width}" } }]\noutput: "{stem}-{name}.{ext}"\n'
const SIZES = 'name,width\nsmall,8\nlarge,12\n'

describe('rows', () => {
  test('each row is a run with its values, on the same input', async () => {
    write('p.yaml', WIDTHS)
    write('sizes.csv', SIZES)
    expect(await here.run(['run', 'p.yaml', 'a.jpg'])).toMatchObject({
      ...{ code: 0, stdout: 'a-small.jpg\na-large.jpg\n', stderr: expect.stringContaining('mediaproc: 2 ') as string },
    })
    expect([await here.widthOf('a-small.jpg'), await here.widthOf('a-large.jpg')]).toEqual([8, 12])
    const { stdout } = await here.run(['pipeline', 'explain', 'p.yaml'])
    expect(stdout).toContain('runs for each of 2 rows of sizes.csv: name, width')
    expect((await here.run(['pipeline', 'validate', 'p.yaml'])).stdout).toBe('p.yaml: valid\n')
    expect((await here.run(['run', 'p.yaml', 'a.jpg', '--dry-run', '--force'])).stdout).toBe(
      'pipeline/p sizes.csv:2 a.jpg -> a-small.jpg (replaced)\npipeline/p sizes.csv:3 a.jpg -> a-large.jpg (replaced)\n',
    )
  })

  test('a manifest lists the outputs of all rows, replaces neither rows nor inputs, and needs files', async () => {
    write('p.yaml', WIDTHS)
    write('sizes.csv', SIZES)
    const run = (...args: string[]) => here.run(['run', 'p.yaml', 'a.jpg', ...args])
    expect((await run('--manifest', 'sizes.csv', '--force')).stderr).toContain('OUTPUT_IS_INPUT')
    expect((await run('--manifest', 'a-large.jpg')).stderr).toContain('OUTPUT_COLLISION')
    expect((await run('--manifest', 'm.json')).code).toBe(0)
    const { complete, inputs } = JSON.parse(readFileSync(here.at('m.json'), 'utf8'))
    expect(complete).toBe(true)
    expect(inputs['a.jpg'].files.map(({ file }: { file: string }) => file)).toEqual(['a-small.jpg', 'a-large.jpg'])
    write('sizes.csv', 'name,width\nsmall,8\n')
    const piped = await run('-o', '-', '--manifest', 'n.json')
    expect([piped.code, piped.stderr]).toEqual([2, expect.stringContaining('-o - writes to standard')])
    expect(existsSync(here.at('n.json'))).toBe(false)
  })

  test('JSON by --rows, without inputs, with variants and -j; numbers keep their text', async () => {
    write(
      'p.yaml',
      'steps: [{ image/qr-generate: { text: "${no} ${Gr\u00f6\u00dfe (cm)} ${gone:-x}", size: 100 } }]\nvariants: [{ name: a }, { name: b, steps: [{ image/resize: { width: 40 } }] }]\noutput: "{no:04}-{variant}.{ext}"',
    )
    write(
      'r.json',
      '[{ "no": 7, "Gr\u00f6\u00dfe (cm)": 1.50, "gone": null, "list": [1] }, { "no": 12, "Gr\u00f6\u00dfe (cm)": true, "gone": "y" }]',
    )
    const { stdout, code } = await here.run(['run', 'p.yaml', '--rows', 'r.json', '-j', '2', '--json'])
    expect(code).toBe(0)
    expect(
      linesOf(stdout).map(({ row, line, input, outputs }) => [row, line, input, ...outputs.map(({ path }) => path)]),
    ).toEqual([
      [1, undefined, null, '0007-a.png', '0007-b.png'],
      [2, undefined, null, '0012-a.png', '0012-b.png'],
    ])
    expect(await here.widthOf('0012-b.png')).toBe(40)
    const read = await here.run(['image', 'barcode-read', '0007-a.png', '--json'])
    expect(read.stdout).toContain('"7 1.50 x"')
    const other = await here.run(['run', 'p.yaml', '--rows', 'r.json', '-d', 'out', '--name', '{no}{variant}.png'])
    expect(other.code).toBe(0)
    expect(namesIn(here.at('out'))).toEqual(['12a.png', '12b.png', '7a.png', '7b.png'])
  })

  test('a bad row fails alone, named by its line', async () => {
    write('p.yaml', WIDTHS)
    write('sizes.csv', 'name;width\nsmall;8\n\n"two\nlines";wide\nlarge;12;3\nlast;9\n')
    const run = await here.run(['run', 'p.yaml', 'a.jpg', '--json'])
    expect(run.code).toBe(1)
    expect(linesOf(run.stdout).map(({ row, line, ok, error }) => [row, line, ok, error?.message])).toEqual([
      [1, 2, true, undefined],
      [2, 4, false, 'p.yaml:2:34: Expected an integer from 1 to 16383 for width, got wide'],
      [3, 6, false, 'the row has 3 values and the header 2 columns'],
      [4, 7, true, undefined],
    ])
    const { stderr } = await here.run(['run', 'p.yaml', 'a.jpg', '--force'])
    expect(stderr).toContain('sizes.csv:4: p.yaml:2:34: Expected an integer')
    expect(stderr).toContain('sizes.csv:6: the row has 3 values and the header 2 columns')
    const valid = await here.run(['pipeline', 'validate', 'p.yaml'])
    expect(valid.code).toBe(2)
    expect(valid.stderr).toBe(
      'sizes.csv:4: p.yaml:2:34: Expected an integer from 1 to 16383 for width, got wide\nsizes.csv:6:1: the row has 3 values and the header 2 columns\n',
    )
    const json = JSON.parse((await here.run(['pipeline', 'validate', 'p.yaml', '--json'])).stdout) as {
      mistakes: object[]
    }
    expect(json.mistakes).toMatchObject([
      { row: 2, line: 2, column: 34 },
      { row: 3, file: 'sizes.csv', line: 6 },
    ])
  })

  test('names are safe whatever the values are, and values are never structure', async () => {
    const pipeline = 'rows: r.json\nsteps: [{ image/resize: { width: 8 } }]\noutput: "out/${name}.{ext}"'
    const values = [
      '../../up',
      'a/b\\c',
      'C:x?*"<>|',
      'n\u0000ul\nl',
      '{stem}',
      '${HOME}',
      '.hidden',
      '...',
      'ends. ',
      `${'\u00e4'.repeat(200)}`,
      'x.pdf',
      'jpg',
    ]
    write('p.yaml', pipeline)
    write('r.json', JSON.stringify(values.map((name) => ({ name }))))
    const { code, stderr } = await here.run(['run', 'p.yaml', 'a.jpg'])
    expect(code).toBe(0)
    expect(stderr).toMatch(/^mediaproc: 12 done\nmediaproc: 12 files, .*\n$/)
    expect(namesIn(here.at('out'))).toEqual(
      [
        ...['__.._up.jpg', 'a_b_c.jpg', 'C_x______.jpg', 'n_ul_l.jpg', '{stem}.jpg', '${HOME}.jpg', '_hidden.jpg'],
        ...['_.jpg', 'ends.jpg', `${'\u00e4'.repeat(60)}.jpg`, 'x.pdf.jpg', 'jpg.jpg'],
      ].sort(),
    )
  })

  test('the same name twice ends the run before anything is written', async () => {
    write('p.yaml', WIDTHS)
    write('sizes.csv', 'name,width\na:b,8\na*b,9\n')
    const { code, stderr } = await here.run(['run', 'p.yaml', 'a.jpg'])
    expect(code).toBe(2)
    expect(stderr).toContain('sizes.csv:2 and sizes.csv:3 would both write a-a_b.jpg')
    expect(stderr).toContain('{index}')
    expect(existsSync(here.at('a-a_b.jpg'))).toBe(false)
    write('q.yaml', 'rows: sizes.csv\nsteps: [{ image/qr-generate: { text: "${width}" } }]\noutput: "x.png"')
    expect((await here.run(['run', 'q.yaml'])).stderr).toContain('would both write x.png')
    write('r.yaml', 'rows: sizes.csv\nsteps: [{ image/qr-generate: { text: "${width}" } }]')
    expect((await here.run(['run', 'r.yaml'])).stdout).toBe('r-1.png\nr-2.png\n')
  })

  test('an empty cell has no name', async () => {
    write('p.yaml', WIDTHS)
    write('sizes.csv', 'name,width\n,8\nb,9\n')
    const { code, stdout, stderr } = await here.run(['run', 'p.yaml', 'a.jpg'])
    expect([code, stdout]).toEqual([1, 'a-b.jpg\n'])
    expect(stderr).toContain('sizes.csv:2: The row has no name, which {name} in the output name needs')
    expect((await here.run(['run', 'p.yaml', 'a.jpg', '--name', 'x{name|none}.jpg'])).stdout).toBe(
      'xnone.jpg\nxb.jpg\n',
    )
  })

  test('--newer makes only the rows that have changed', async () => {
    write('p.yaml', WIDTHS)
    write('sizes.csv', SIZES)
    const run = async () => linesOf((await here.run(['run', 'p.yaml', 'a.jpg', '--newer', '--json'])).stdout)
    await run()
    expect((await run()).map(({ skipped }) => skipped)).toEqual([true, true])
    write('sizes.csv', SIZES.replace('12', '13'))
    expect((await run()).map(({ skipped, reason }) => [skipped, reason])).toEqual([
      [true, undefined],
      [undefined, expect.stringContaining('image/resize')],
    ])
    expect(await here.widthOf('a-large.jpg')).toBe(13)
  })

  test('inputs of each row; neither they nor the rows are replaced', async () => {
    await here.picture('b.jpg', '#0000ff')
    await here.picture('c[1].jpg', '#00ff00')
    write('p.yaml', 'rows: r.csv\ninputs: "${photo}.jpg"\nsteps: [{ image/resize: { width: 8 } }]\noutput: "{to}"\n')
    write('r.csv', 'photo,to\nb,one\nc[1],two\n*,three\nnone,four\n')
    const run = await here.run(['run', 'p.yaml', '--json'])
    expect(linesOf(run.stdout).map(({ ok, input }) => [ok, input])).toEqual([
      [true, 'b.jpg'],
      [true, 'c[1].jpg'],
      [false, '*.jpg'],
      [false, 'none.jpg'],
    ])
    const { channels } = await sharp(readFileSync(here.at('two.jpg'))).stats()
    expect(channels.map(({ mean }) => Math.round(mean / 64))).toEqual([0, 4, 0])
    const before = statSync(here.at('b.jpg')).mtimeMs
    write('r.csv', 'photo,to\na,b\nb,fine\n')
    expect((await here.run(['run', 'p.yaml', '--force'])).stderr).toContain('The output b.jpg is an input')
    expect(statSync(here.at('b.jpg')).mtimeMs).toBe(before)
    write('q.yaml', 'rows: r.csv\nsteps: [files/csv-json, files/csv-json]\noutput: "r.csv"\n')
    expect((await here.run(['run', 'q.yaml', 'x.csv', '--force'])).code).not.toBe(0)
    expect(readFileSync(here.at('r.csv'), 'utf8')).toContain('photo,to')
  })

  test('parameters: --set before the row, the row before the default, an empty cell is none', async () => {
    write(
      'p.yaml',
      'rows: r.csv\nparams: { width: 20, must: , label: "${who} <${width}>" }\nsteps: [{ image/resize: { width: "${width}" } }]\noutput: "{who}-{width}.{ext}"',
    )
    write('r.csv', 'who,width,must\na,8,x\nb,,x\nc,9,\n')
    const run = await here.run(['run', 'p.yaml', 'a.jpg'])
    expect(run.stdout).toBe('a-8.jpg\nb-20.jpg\n')
    expect(run.stderr).toContain('r.csv:4: p.yaml:2:22: The parameter must has no value in this row')
    const set = await here.run([
      'run',
      'p.yaml',
      'a.jpg',
      '--set',
      'width=7',
      '--set',
      'must=y',
      '-d',
      'set',
      '--name',
      '{who}',
    ])
    expect(set.code).toBe(0)
    expect(await here.widthOf('set/a.jpg')).toBe(7)
  })

  test.each<[string, string, string, string]>([
    [
      'a misspelled column',
      'a: ${nmae}',
      'name\nx',
      'p.yaml:2:38: There is no parameter nmae, and no such column in r.csv. Did you mean ${name}?',
    ],
    ['a column that is not there', '${email}', 'name\nx', 'Known are name.'],
    ['only a header', '${name}', 'name\n', 'r.csv cannot be used as rows: it has no rows'],
    ['two columns of one name', '${name}', 'name,name\nx,y', 'it has two columns called name'],
  ])('mistakes: %s', async (_name, text, csv, message) => {
    write('p.yaml', `rows: r.csv\nsteps: [{ image/qr-generate: { text: "${text}" } }]`)
    write('r.csv', csv)
    const { code, stderr } = await here.run(['run', 'p.yaml'])
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  test('mistakes in the name of the file, other types, other commands', async () => {
    write('rows.csv', 'a\n1')
    const message = async (rows: string) => {
      write('p.yaml', `rows: ${rows}\nsteps: [{ image/qr-generate: { text: x } }]`)
      return (await here.run(['pipeline', 'validate', 'p.yaml'])).stderr
    }
    expect(await message('row.csv')).toContain('p.yaml:1:7: The file row.csv does not exist. Did you mean rows.csv?')
    expect(await message('"${A}.csv"')).toContain(
      'p.yaml:1:7: The path of rows is literal, and ${A}.csv has a variable',
    )
    expect(await message('[a]')).toContain('p.yaml:1:7: Expected a CSV or JSON file for rows, got a list')
    expect(await message('a.jpg')).toContain('p.yaml:1:7: a.jpg cannot be used as rows: it is JPG')
    write('o.json', '{ "a": 1 }')
    expect(await message('o.json')).toContain('o.json cannot be used as rows: it is no list')
    write('n.json', '[1]')
    expect(await message('n.json')).toContain('n.json cannot be used as rows: item 1 is not an object')
    write('b.json', '[{]')
    expect(await message('b.json')).toContain('b.json is not valid JSON')
    expect((await here.run(['run', 'p.yaml', '--rows', 'none.csv'])).stderr).toContain('The rows none.csv do not exist')
    expect(await message('rows.csv')).toBe('')
    expect((await here.run(['watch', 'p.yaml', '.', '-d', 'out'])).stderr).toContain(
      'A pipeline with rows runs once for each row',
    )
    await expect(runPipeline(here.at('p.yaml'), [])).rejects.toMatchObject({ code: 'INVALID_PIPELINE' })
  })

  test('20,000 rows at most', async () => {
    write('p.yaml', 'rows: r.csv\nsteps: [{ image/qr-generate: { text: "${a}" } }]')
    write('r.csv', `a\n${'1\n'.repeat(20_001)}`)
    expect((await here.run(['run', 'p.yaml'])).stderr).toContain('r.csv has more than 20000 rows')
  })
})
