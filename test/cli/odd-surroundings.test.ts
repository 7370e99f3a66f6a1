import { spawnSync } from 'node:child_process'
import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { namesIn, PROGRAM, useBuiltScene } from '../helpers/program.ts'

const here = useBuiltScene()
// Folders and streams of the process itself.
const { at, start: run } = here
const resize = (...names: string[]) => run(['image', 'resize', ...names, '--width', '5'])

test('a circular link only fails its own job', async () => {
  symlinkSync('b', at('c'))
  symlinkSync('c', at('b'))
  const { code, stdout, stderr } = await resize('b', 'a.jpg')
  expect([code, stdout]).toEqual([1, 'a_resize.jpg\n'])
  expect(stderr).toContain('b: is a link that leads in a circle (INVALID_FILE)')
})

test('refuses addresses of other schemes by name', async () => {
  const { code, stderr } = await resize('ftp://example.com/x.jpg')
  expect(code).toBe(1)
  expect(stderr).toContain('only http and https addresses are (URL_REFUSED)')
})

test('a list may start with a byte order mark', async () => {
  writeFileSync(at('list.txt'), '\ufeffa.jpg\r\n')
  expect(await resize('@list.txt')).toMatchObject({ code: 0, stdout: 'a_resize.jpg\n' })
})

test('a job with several inputs names only the invalid one', async () => {
  const { code, stderr } = await run(['files', 'create-zip', 'a.jpg', 'missing.txt', '-o', 'z.zip'])
  expect(code).toBe(1)
  expect(stderr).toContain('mediaproc: files/create-zip: missing.txt does not exist')
  expect(namesIn(here.path)).toEqual(['a.jpg'])
})

test('prints a limit below a tenth of a megapixel in full', async () => {
  const { stderr } = await run(['image', 'info', 'a.jpg'], { environment: { MAX_MEGAPIXELS: '0.00001' } })
  expect(stderr).toContain('the limit is 0.00001 megapixels')
})

test('names a missing folder for temporary files', async () => {
  writeFileSync(at('table.csv'), 'a,b\n1,2\n')
  const { code, stderr } = await run(['image', 'edit-metadata', 'a.jpg', '--title', 'x', '-o', 'b.jpg'], {
    environment: { TMPDIR: at('nowhere') },
  })
  expect(code).toBe(1)
  expect(stderr).toContain(`The folder for temporary files, ${at('nowhere')}, does not exist`)
  expect(stderr).toContain('TMPDIR')
})

describe.runIf(existsSync('/dev/full'))('a full device as standard output', () => {
  test.each([[['tools']], [['image', 'convert', 'a.jpg', '--format', 'png', '-o', '-']]])('%j', (args) => {
    const script = `"${process.execPath}" "${PROGRAM}" ${args.join(' ')} > /dev/full`
    const { status, stderr } = spawnSync('sh', ['-c', script], { cwd: here.path, encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).toBe('mediaproc: Standard output cannot be written: no space is left on the device\n')
  })
})

test('draws text without a writable home folder and without warnings', async () => {
  const { code, stderr } = await run(['image', 'text-overlay', 'a.jpg', '--text', 'x', '-o', 'b.jpg'], {
    environment: { HOME: '/proc/1/none', XDG_CACHE_HOME: '' },
  })
  expect([code, stderr]).toEqual([0, ''])
})
