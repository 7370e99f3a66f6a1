import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { namesIn, useScene } from '../helpers/program.ts'

const here = useScene()

const read = (path: string) => JSON.parse(readFileSync(here.at(path), 'utf8'))

const PIPELINE = `matrix: { width: [10, 20], format: [webp, jpg] }
steps:
  - image/resize: { width: "\${width}" }
  - image/convert: { format: "\${format}" }
output: "web/img/{stem}-{width}.{hash:8}.{ext}"
manifest: web/assets.json
`

describe('--manifest', () => {
  test('the outputs of each input, with what a page needs', async () => {
    mkdirSync(here.at('photos'))
    await here.picture('photos/z.jpg', '#102030')
    await here.picture('photos/b c.jpg')
    writeFileSync(here.at('p.yaml'), PIPELINE)
    const { code, stderr } = await here.run(['run', 'p.yaml', 'photos/z.jpg', 'photos/b c.jpg'])
    expect([code, stderr.split('\n')[0]]).toEqual([0, 'mediaproc: 2 done'])
    const manifest = read('web/assets.json')
    expect(Object.keys(manifest)).toEqual(['generator', 'version', 'run', 'complete', 'inputs'])
    expect(manifest).toMatchObject({ generator: 'mediaproc', version: 1, run: 'pipeline/p', complete: true })
    expect(Object.keys(manifest.inputs)).toEqual(['photos/b c.jpg', 'photos/z.jpg'])
    const { files, srcset, picture } = manifest.inputs['photos/b c.jpg']
    expect(files.map(({ variant }: { variant: string }) => variant)).toEqual(['10-webp', '10-jpg', '20-webp', '20-jpg'])
    const [first] = files
    const content = readFileSync(here.at('web', first.file))
    expect(first).toEqual({
      file: expect.stringMatching(/^img\/b c-10\.[0-9a-f]{8}\.webp$/),
      type: 'image/webp',
      bytes: content.length,
      width: 10,
      height: 5,
      variant: '10-webp',
      sha256: createHash('sha256').update(content).digest('hex'),
      integrity: `sha384-${createHash('sha384').update(content).digest('base64')}`,
    })
    expect(Object.keys(srcset)).toEqual(['image/webp', 'image/jpeg'])
    expect(srcset['image/webp']).toMatch(/^img\/b%20c-10\.\w{8}\.webp 10w, img\/b%20c-20\.\w{8}\.webp 20w$/)
    expect(picture).toMatch(/^<picture><source type="image\/webp" srcset=".*"><img src="img\/b%20c-20\.\w{8}\.jpg" /)
    // Skipped outputs are in it as well, and the same run gives the same file.
    const before = readFileSync(here.at('web/assets.json'), 'utf8')
    rmSync(here.at('web/assets.json'))
    const again = await here.run(['run', 'p.yaml', 'photos/b c.jpg', 'photos/z.jpg', '--newer', '-j', '2'])
    expect(again.code).toBe(0)
    expect(again.stderr).toContain('2 skipped')
    expect(readFileSync(here.at('web/assets.json'), 'utf8')).toBe(before)
  })

  test('a failed input is missing, visibly; without any success, the earlier manifest remains', async () => {
    await here.picture('b.jpg')
    writeFileSync(here.at('bad.jpg'), 'no picture')
    const run = (...files: string[]) => here.resize(...files, '-d', 'o', '--force', '--manifest', 'm/assets.json')
    const { code, stderr } = await run('a.jpg', 'bad.jpg', 'b.jpg')
    expect(code).toBe(1)
    expect(stderr).toContain('the manifest m/assets.json is incomplete: it lacks an input')
    const manifest = read('m/assets.json')
    expect(manifest).toMatchObject({ complete: false, missing: ['bad.jpg'] })
    expect(Object.keys(manifest.inputs)).toEqual(['a.jpg', 'b.jpg'])
    expect(manifest.inputs['a.jpg'].files[0].file).toBe('../o/a_resize.jpg')
    const failed = await run('bad.jpg')
    expect(failed.stderr).toContain('no input succeeded, so the manifest m/assets.json was not written')
    expect(read('m/assets.json')).toEqual(manifest)
    const complete = await run('a.jpg')
    expect(complete.code).toBe(0)
    expect(read('m/assets.json')).toMatchObject({ complete: true })
    expect(namesIn(here.at('m'))).toEqual(['assets.json'])
  })

  test('replaces only manifests: no other file, input or output', async () => {
    writeFileSync(here.at('package.json'), '{"name":"mine"}')
    const run = (...args: string[]) => here.resize('a.jpg', '-d', 'o', ...args)
    const foreign = await run('--manifest', 'package.json')
    expect([foreign.code, foreign.stdout]).toEqual([1, ''])
    expect(foreign.stderr).toContain('package.json is already there, and it is not a manifest of mediaproc')
    expect((await run('--manifest', 'a.jpg', '--force')).stderr).toContain('OUTPUT_IS_INPUT')
    expect((await run('--manifest', 'o/a_resize.jpg')).stderr).toContain('--manifest and a.jpg would both write')
    expect((await run('--manifest', 'o/5.jpg', '--name', '{height}.{ext}')).stderr).toContain('OUTPUT_COLLISION')
    expect((await run('--manifest', '.')).stderr).toContain('IS_A_FOLDER')
    expect((await here.resize('a.jpg', '-o', '-', '--manifest', 'm.json')).stderr).toContain('-o - writes to standard')
    expect(namesIn(here.path).filter((name) => name !== 'o')).toEqual(['a.jpg', 'package.json'])
    const planned = await run('--manifest', 'm.json', '--dry-run')
    expect(planned.stdout).toContain('image/resize manifest -> m.json\n')
    expect((await run('--manifest', 'package.json', '--force')).code).toBe(0)
    expect(read('package.json').generator).toBe('mediaproc')
  })

  test('several inputs of one output, and none', async () => {
    await here.picture('b.jpg')
    await here.run(['image', 'collage', 'a.jpg', 'b.jpg', '-o', 'c.png', '--manifest', 'm.json'])
    expect(read('m.json').inputs['image/collage']).toMatchObject({
      inputs: ['a.jpg', 'b.jpg'],
      files: [{ file: 'c.png' }],
    })
    await here.run(['image', 'qr-generate', '--text', 'x', '-o', 'q.png', '--manifest', 'm.json'])
    expect(Object.keys(read('m.json').inputs)).toEqual(['image/qr-generate'])
  })

  test('the manifest of a pipeline is one file', async () => {
    writeFileSync(here.at('p.yaml'), PIPELINE.replace('web/assets.json', '"web/{variant}.json"'))
    const { code, stderr } = await here.run(['pipeline', 'validate', 'p.yaml'])
    expect(code).toBe(2)
    expect(stderr).toContain('p.yaml:6:11: The manifest is one file, so its name has no placeholders')
    writeFileSync(here.at('p.yaml'), PIPELINE)
    expect((await here.run(['pipeline', 'explain', 'p.yaml'])).stdout).toContain('lists all outputs in web/assets.json')
    await here.run(['run', 'p.yaml', 'a.jpg', '-d', 'dist'])
    expect(read('dist/web/assets.json').complete).toBe(true)
  })
})
