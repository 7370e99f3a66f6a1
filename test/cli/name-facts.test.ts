import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { namesIn, useScene } from '../helpers/program.ts'

const here = useScene()

/** A picture with a capture date and a camera. */
async function photo(name: string, date: string, camera = 'X100V', background = '#2060a0'): Promise<void> {
  const image = sharp({ create: { width: 40, height: 20, channels: 3, background } })
  const exif = { IFD0: { Model: camera, Artist: 'Ada / "Lovelace"' }, IFD2: { DateTimeOriginal: date } }
  writeFileSync(here.at(name), await image.withExif(exif).jpeg().toBuffer())
}

const hashOf = (path: string): string =>
  createHash('sha256')
    .update(readFileSync(here.at(path)))
    .digest('hex')

describe('names from content', () => {
  test('capture date, camera, size and checksum', async () => {
    await photo('b.jpg', '2024:05:03 10:11:12')
    const pattern = '{exif.date:YYYY}/{exif.date:MM-DD}_{stem}_{exif.camera}_{artist}_{width}x{height}.{hash:8}.{ext}'
    const { code, stdout } = await here.resize('b.jpg', '--name', pattern)
    expect(code).toBe(0)
    const path = stdout.trim()
    expect(path).toMatch(/^2024\/05-03_b_X100V_Ada _ _Lovelace__10x5\.[0-9a-f]{8}\.jpg$/)
    expect(hashOf(path).startsWith(path.slice(-12, -4))).toBe(true)
    // The same file is already there, and nothing is replaced.
    expect(await here.resize('b.jpg', '--name', pattern)).toMatchObject({ code: 0, stdout })
    expect(await here.resize('b.jpg', '--name', pattern, '--newer')).toMatchObject({ code: 0, stdout: '' })
    const planned = await here.resize('b.jpg', '-d', 'other', '--name', pattern, '--dry-run')
    expect(planned.stdout).toContain('-> other/2024/05-03_b_X100V_Ada _ _Lovelace__10x{height}.{hash:8}.jpg')
    expect(existsSync(here.at('other'))).toBe(false)
  })

  test('files that name another have its checksum, and their own is that of the changed text', async () => {
    await photo('b.jpg', '2024:05:03 10:11:12')
    const args = ['image', 'sprite-sheet', 'a.jpg', 'b.jpg', '--map', 'both', '--name', 'sheet.{hash:8}.{ext}']
    const { code, stdout } = await here.run(args)
    expect(code).toBe(0)
    const [sheet = '', map = '', style = ''] = stdout.trim().split('\n')
    for (const path of [sheet, map, style]) expect(path).toContain(`sheet.${hashOf(path).slice(0, 8)}.`)
    expect(JSON.parse(readFileSync(here.at(map), 'utf8')).meta.image).toBe(sheet)
    expect(readFileSync(here.at(style), 'utf8')).toContain(`url("${sheet}")`)
  })

  test('a file without the fact fails alone; a default helps', async () => {
    await photo('b.jpg', '2024:05:03 10:11:12')
    await photo('zero.jpg', '0000:00:00 00:00:00')
    const files = ['a.jpg', 'b.jpg', 'zero.jpg']
    const { code, stdout, stderr } = await here.resize(...files, '-d', 'o', '--name', '{exif.date:YYYY}-{stem}.{ext}')
    expect([code, stdout]).toEqual([1, 'o/2024-b.jpg\n'])
    for (const name of ['a.jpg', 'zero.jpg'])
      expect(stderr).toContain(`${name}: has no capture date, which {exif.date:YYYY} in the output name needs`)
    expect(stderr).toContain('{exif.date:YYYY|unknown}')
    const pattern = '{exif.date:YYYY|undated}/{stem}.{ext}'
    expect((await here.resize('a.jpg', '-d', 'o', '--name', pattern)).stdout).toBe('o/undated/a.jpg\n')
    // Facts of standard input are known when it is read.
    const stdin = { stdin: readFileSync(here.at('b.jpg')) }
    const piped = await here.run(['image', 'resize', '-', '--width', '10', '--name', '{exif.date}.{ext}'], stdin)
    expect(piped.stdout).toBe('2024-05-03.jpg\n')
    const bad = await here.resize('a.jpg', '--name', '{stem}-{duration}.{ext}')
    expect(bad.stderr).toContain('The output of a.jpg has no duration, which {duration} in the output name needs')
    expect(namesIn(here.path).filter((name) => /mediaproc|a-/.test(name))).toEqual([])
  })

  test('two outputs with one name: equal content is one file, other content fails', async () => {
    await photo('b.jpg', '2024:05:03 10:11:12')
    copyFileSync(here.at('b.jpg'), here.at('c.jpg'))
    const { code, stdout } = await here.resize('b.jpg', 'c.jpg', '-d', 'o', '--name', '{height}-{hash}.{ext}')
    expect(code).toBe(0)
    expect(new Set(stdout.trim().split('\n')).size).toBe(1)
    const other = await here.resize('b.jpg', 'a.jpg', '-d', 'o', '--name', '{height}.{ext}', '--force')
    expect(other.code).toBe(1)
    expect(other.stderr).toContain('would both write o/5.jpg (OUTPUT_COLLISION)')
    writeFileSync(here.at('o', '5.jpg'), 'mine')
    const foreign = await here.resize('b.jpg', '-d', 'o', '--name', '{height}.{ext}')
    expect(foreign.stderr).toContain('o/5.jpg is already there (OUTPUT_EXISTS)')
    expect(readFileSync(here.at('o', '5.jpg'), 'utf8')).toBe('mine')
    const own = await here.resize('a.jpg', '--name', '{height|x}.{ext}', '--height', '20', '--width', '40', '-d', '.')
    expect(own.stdout).toBe('20.jpg\n')
  })

  test('each file of a set by its page', async () => {
    const frames = await Promise.all(
      ['#f00', '#0f0', '#00f'].map((background) =>
        sharp({ create: { width: 8, height: 8, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    )
    writeFileSync(
      here.at('a.gif'),
      await sharp(frames, { join: { animated: true } })
        .gif()
        .toBuffer(),
    )
    const split = (...args: string[]) =>
      here.run(['image', 'gif-tools', 'a.gif', '--action', 'extract', '--extract-mode', 'all', ...args])
    const pages = await split('-d', 'o', '--name', '{stem}-{page:03}-{width}.{ext}')
    expect(
      pages.stdout
        .trim()
        .split('\n')
        .map((path) => path.replace(/-8\.\w+$/, '')),
    ).toHaveLength(3)
    expect(pages.stdout).toMatch(/^o\/a-00\d-8\.png\n/)
    const same = await split('-d', 'p', '--name', '{stem}-{page:03|x}{width}.{ext}', '--newer')
    expect(same.code).toBe(0)
    const again = await split('-d', 'p', '--name', '{stem}-{page:03|x}{width}.{ext}', '--newer')
    expect(again.stdout).toBe('')
    expect((await split('--name', '{stem}-{hash}')).stderr).toContain('{hash} would name the folder of several files')
    expect((await split('--zip', '--name', '{page}')).stderr).toContain('{page} is a fact of one file')
  })

  test('a pipeline checks the names of all variants before it writes the first', async () => {
    const text = (output: string): string => `variants:
  - { name: a, steps: [{ image/resize: { width: 10 } }, { image/convert: { format: png } }] }
  - { name: b, steps: [{ image/resize: { width: 10, height: 5 } }, { image/rotate: { angle: 180 } }, { image/convert: { format: png } }] }
output: "${output}"
`
    writeFileSync(here.at('p.yaml'), text('o/{height}.{ext}'))
    const stripes = sharp({ create: { width: 40, height: 20, channels: 3, background: '#fff' } })
    const black = await sharp({ create: { width: 20, height: 20, channels: 3, background: '#000' } })
      .png()
      .toBuffer()
    writeFileSync(
      here.at('s.png'),
      await stripes
        .composite([{ input: black, left: 0, top: 0 }])
        .png()
        .toBuffer(),
    )
    const failed = await here.run(['run', 'p.yaml', 's.png'])
    expect(failed.stderr).toContain('would both write o/5.png (OUTPUT_COLLISION)')
    expect(namesIn(here.path).filter((name) => name.startsWith('o/'))).toEqual([])
    writeFileSync(here.at('p.yaml'), text('o/{variant}-{hash:6}.{ext}'))
    const { stdout } = await here.run(['run', 'p.yaml', 's.png'])
    expect(stdout).toMatch(/^o\/a-[0-9a-f]{6}\.png\no\/b-[0-9a-f]{6}\.png\n$/)
    expect((await here.run(['run', 'p.yaml', 's.png', '--newer', '--json'])).stdout).toContain('"skipped":true')
    expect((await here.run(['pipeline', 'explain', 'p.yaml'])).stdout).toContain('{hash:6}: from each file')
    writeFileSync(here.at('p.yaml'), text('o/{variant}-{hsh}.{ext}'))
    const mistake = await here.run(['pipeline', 'validate', 'p.yaml'])
    expect(mistake.stderr).toContain('p.yaml:4:9: There is no placeholder {hsh}. Did you mean {hash}? Known are {stem}')
  })
})
