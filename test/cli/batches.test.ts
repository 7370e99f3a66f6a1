import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { namesIn, useBuiltScene } from '../helpers/program.ts'

const here = useBuiltScene()
const { at, picture, resize, run } = here

describe('-d at or above the inputs', () => {
  test.each([
    ['*.jpg', '.', 'a_resize.jpg'],
    ['in/*.jpg', 'in', 'in/b_resize.jpg'],
    ['in/*.jpg', '.', 'b_resize.jpg'],
    ['in/**/*.jpg', 'in/', 'in/b_resize.jpg'],
  ])('of the pattern %s is %s', async (pattern, folder, output) => {
    mkdirSync(at('in'))
    await picture('in/b.jpg')
    const first = await resize(pattern, '-d', folder)
    expect(first).toMatchObject({ code: 0, stdout: `${output}\n` })
    // Outputs of the first run are not inputs of the second.
    expect(await resize(pattern, '-d', folder, '--force')).toMatchObject({ code: 0, stdout: `${output}\n` })
  })

  test('a pipeline that writes next to its inputs', async () => {
    mkdirSync(at('in'))
    await picture('in/b.jpg')
    writeFileSync(
      at('p.yaml'),
      'inputs: ["in/*.jpg"]\noutput: "in/{stem}-small.{ext}"\nsteps:\n  - image/resize: { width: 10 }\n',
    )
    for (const more of [[], ['--force']])
      expect(await run(['run', 'p.yaml', ...more])).toMatchObject({ code: 0, stdout: 'in/b-small.jpg\n' })
  })
})

describe('outputs of earlier runs are not inputs', () => {
  test('of -r and patterns, by the same or another tool', async () => {
    await picture('b.jpg')
    const made = 'a_resize.jpg\nb_resize.jpg\n'
    expect((await resize('-r', '.', '--newer')).stdout).toBe(made)
    const again = await resize('-r', '.', '--newer')
    expect(again).toMatchObject({ code: 0, stdout: '' })
    expect(again.stderr).toContain('mediaproc: 2 files are skipped: earlier runs made them from other inputs')
    expect((await resize('-r', '.', '--newer', '--quiet')).stderr).toBe('')
    expect((await resize('*.jpg', '--force')).stdout).toBe(made)
    expect((await run(['image', 'rotate', '-r', '.', '--angle', '90'])).stdout).toBe('a_rotate.jpg\nb_rotate.jpg\n')
    expect(namesIn(here.path).length).toBe(6)
  })

  test('a set, and one output of several pictures', async () => {
    await picture('b.jpg')
    await run(['image', 'stitch', 'a.jpg', 'b.jpg', '-o', 'both.jpg'])
    await run(['image', 'split', 'a.jpg', '--cols', '2', '--rows', '1'])
    expect((await resize('-r', '.', '-d', 'out')).stdout).toBe('out/a_resize.jpg\nout/b_resize.jpg\n')
  })

  test('unless the user names them, the source is missing, or they were edited', async () => {
    await resize('-r', '.', '-d', 'small')
    expect((await run(['image', 'rotate', '-r', 'small', '--angle', '90', '-d', 'x'])).stdout).toBe(
      'x/a_resize_rotate.jpg\n',
    )
    expect((await resize('a.jpg', 'small/a_resize.jpg', '-d', 'y')).stdout).toBe(
      'y/a_resize.jpg\ny/a_resize_resize.jpg\n',
    )
    await picture('small/a_resize.jpg', '#123456')
    for (const folder of ['x', 'y']) rmSync(at(folder), { recursive: true })
    expect((await resize('-r', '.', '-d', 'z')).stdout).toBe('z/a_resize.jpg\nz/small/a_resize_resize.jpg\n')
  })
})
