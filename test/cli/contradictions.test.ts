/** Contradictory options are refused before any work, with what to do, and nothing is written. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { run as runTool } from '../../src/index.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'
import { inspectSettings } from '../../src/tool/validate.ts'
import { namesIn, useBuiltScene } from '../helpers/program.ts'

const here = useBuiltScene()
const { at, run, resize } = here

const AUDIO_TAGS = [
  ...['title', 'artist', 'album', 'albumArtist', 'track', 'disc'],
  ...['date', 'genre', 'composer', 'comment', 'copyright', 'lyrics'],
]

async function refused(args: readonly string[], sentence: string, hint: string): Promise<void> {
  const { code, stdout, stderr } = await run(args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(sentence)
  expect(stderr).toContain(hint)
  expect(namesIn(here.path)).toEqual(['a.jpg'])
}

describe('an extension that is not a type', () => {
  test.each([
    ['small.webb', 'Did you mean small.webp?'],
    ['deep/small.jpgg', 'Did you mean deep/small.jpg?'],
    ['small.qqqqqq', 'The output is JPG: small.jpg'],
  ])('-o %s', (output, hint) =>
    refused(['image', 'resize', 'a.jpg', '--width', '5', '-o', output], 'is not a known type', hint),
  )

  test.each(['x.tmp', 'x', 'v1.2', 'x.JPG'])('accepts %s', async (output) => {
    expect(await resize('a.jpg', '-o', output)).toMatchObject({ code: 0, stdout: `${output}\n`, stderr: '' })
  })

  test('text output accepts any extension', async () => {
    expect((await run(['image', 'info', 'a.jpg', '-o', 'facts.log'])).code).toBe(0)
  })
})

test('a picture and JSON records on standard output', async () => {
  const both = ['image', 'resize', 'a.jpg', '--width', '5', '-o', '-', '--json']
  await refused(both, '-o - and --json would both write to standard output', 'Write the file with -o FILE')
  writeFileSync(at('p.yaml'), '- image/resize: { width: 5 }\n')
  expect((await run(['run', 'p.yaml', 'a.jpg', '-o', '-', '--json'])).code).toBe(2)
  // Only the plan is written in this case.
  expect((await run([...both, '--dry-run'])).code).toBe(0)
})

describe('-o and --name', () => {
  test.each([['x.jpg'], ['-']])('-o %s', (output) =>
    refused(
      ['image', 'resize', 'a.jpg', '--width', '5', '-o', output, '--name', '{stem}.{ext}'],
      '-o and --name cannot be given together',
      'for -d DIR',
    ),
  )

  test('a folder accepts name patterns, and overrides a configured pattern', async () => {
    mkdirSync(at('there'))
    for (const folder of ['out/', 'there'])
      expect((await resize('a.jpg', '-o', folder, '--name', '{stem}-s.{ext}')).code).toBe(0)
    expect(namesIn(at('out'))).toEqual(['a-s.jpg'])
    writeFileSync(at('.mediaprocrc.json'), '{"name": "{stem}-c.{ext}"}')
    expect((await resize('a.jpg', '-o', 'x.jpg')).stdout).toBe('x.jpg\n')
  })
})

describe('a mode without its required value', () => {
  test('at the shell, in a pipeline and in the library', async () => {
    const sentence = 'Expected --target-size-kb for --mode targetSize, got nothing'
    await refused(['image', 'compress', 'a.jpg', '--mode', 'targetSize'], sentence, '--target-size-kb 200')
    writeFileSync(at('p.yaml'), '- image/compress: { mode: targetSize }\n')
    const { code, stderr } = await run(['pipeline', 'validate', 'p.yaml'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('Expected targetSizeKb for mode targetSize')])
    await expect(runTool('image/compress', at('a.jpg'), { mode: 'targetSize' })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
    })
  })

  /** Settings that only one value of another setting makes effective, and that have no default. */
  test('every such setting of every tool is required, checked by the tool, or explained here', async () => {
    const optional = new Map([
      ['image/beautify frameTitle', 'a frame may have no title'],
      ['image/convert quality', 'each format has its own default'],
      ['image/gif-tools frameEnd', 'the last frame'],
      ['image/gif-tools x', 'the middle'],
      ['image/gif-tools y', 'near the bottom'],
      ['image/smart-crop width', 'the largest crop of its shape'],
      ['image/smart-crop height', 'the largest crop of its shape'],
      ['image/smart-crop targetSize', 'the size that is left'],
      ['pdf/compress-pdf preset', 'the quality decides then'],
      ['files/convert-spreadsheet sheet', 'the first sheet'],
      ...AUDIO_TAGS.map((name) => [`audio/audio-metadata ${name}`, 'a tag that stays'] as const),
    ])
    const { loadTool } = await import('../../src/tool/registry.ts')
    const silent: string[] = []
    for (const entry of (await useScannedCatalogue()).filter(({ base }) => base === undefined)) {
      const tool = await loadTool(entry)
      for (const [name, row] of Object.entries(entry.settings)) {
        if (!row.when || row.default !== undefined || row.required || row.needed) continue
        const { values } = inspectSettings(entry.settings, {})
        for (const [key, wanted] of Object.entries(row.when)) values[key] = Array.isArray(wanted) ? wanted[0] : wanted
        const isRefused = (() => {
          try {
            tool.check?.(values)
            return false
          } catch {
            return true
          }
        })()
        const label = `${entry.section}/${entry.id} ${name}`
        if (!isRefused && !optional.has(label)) silent.push(label)
      }
    }
    expect(silent).toEqual([])
  })
})
