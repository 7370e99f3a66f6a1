import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { namesIn, useBuiltScene } from '../helpers/program.ts'

const here = useBuiltScene()
const { at, picture, run } = here

test('a tool that keeps the name adds a suffix next to the input, and keeps the name elsewhere', async () => {
  const beside = await run(['image', 'edit-metadata', 'a.jpg'])
  expect(beside).toMatchObject({ code: 0, stdout: 'a_edit-metadata.jpg\n' })
  expect(beside.stderr).toBe('mediaproc: a.jpg: warning: Nothing was changed: a.jpg already has these values\n')
  expect(await run(['image', 'edit-metadata', 'a.jpg', '-d', 'out'])).toMatchObject({ code: 0, stdout: 'out/a.jpg\n' })
  expect(await run(['image', 'edit-metadata', 'a.jpg', '-d', '.'])).toMatchObject({ code: 2 })
  expect(namesIn(here.path)).toEqual(['a.jpg', 'a_edit-metadata.jpg', 'out', 'out/a.jpg'])
})

test('prints only the Base64; --json prints everything', async () => {
  await picture('b.png')
  const base64 = readFileSync(at('b.png')).toString('base64')
  const plain = await run(['image', 'image-to-base64', 'b.png', '--format', 'plain'])
  expect(plain).toMatchObject({ code: 0, stdout: `${base64}\n`, stderr: '' })
  const both = await run(['image', 'image-to-base64', 'a.jpg', 'b.png'])
  expect(both.stdout.split('\n').map((line) => line.slice(0, 22))).toEqual([
    'data:image/jpeg;base64',
    'data:image/png;base64,',
    '',
  ])
  const { result } = JSON.parse((await run(['image', 'image-to-base64', 'b.png', '--json'])).stdout)
  expect(result.results[0]).toMatchObject({ base64, mimeType: 'image/png', width: 40, height: 20 })
})

test('accepts both extensions of a format with two names', async () => {
  const { stdout } = await run(['image', 'optimize-for-web', 'a.jpg', '--format', 'jpeg', '--dry-run'])
  expect(stdout).toContain('a.jpg -> a_optimize-for-web.jpg')
})

test('writes a set of one PDF to -o', async () => {
  await picture('b.png')
  expect(await run(['image', 'image-to-pdf', 'a.jpg', 'b.png', '-o', 'both.pdf'])).toMatchObject({
    code: 0,
    stdout: 'both.pdf\n',
  })
  expect(readFileSync(at('both.pdf')).subarray(0, 5).toString()).toBe('%PDF-')
  writeFileSync(at('c.svg'), '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>')
  const each = await run(['image', 'image-to-pdf', 'a.jpg', 'c.svg', '--no-collate'])
  expect(each).toMatchObject({ code: 0, stdout: 'images/a.pdf\nimages/c.pdf\n' })
})
