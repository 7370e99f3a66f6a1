/** The roots are the only folders that an agent reaches: not through links, `..`, other spellings, or a swap during the call. */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import type { Call } from '../../src/mcp/backend.ts'
import { LocalBackend } from '../../src/mcp/local/backend.ts'
import { openFile, openFolder } from '../../src/mcp/local/open-within.ts'
import { type Root, rootAt } from '../../src/mcp/local/roots.ts'
import { errorOf } from '../helpers/mcp.ts'
import { temporaryFolder } from '../helpers/tool.ts'

let root: string
let outside: string
let backend: LocalBackend
let roots: Root[]

const CALL: Call = {
  signal: new AbortController().signal,
  onProgress: () => {},
  client: { asksUser: false, hasRoots: false },
  answers: undefined,
  state: undefined,
}

beforeAll(async () => {
  root = temporaryFolder()
  outside = temporaryFolder()
  const picture = await sharp({ create: { width: 40, height: 40, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  writeFileSync(join(root, 'a.png'), picture)
  writeFileSync(join(outside, 'secret.png'), picture)
  roots = [await rootAt(root)]
  backend = new LocalBackend(roots)
})

const resize = async (files: string[], more: object = {}) => {
  const given = { tool: 'image/resize', files, settings: { width: 10 }, ...more }
  try {
    return await backend.runTool(given, CALL)
  } catch (error) {
    const { code, message } = error as { code: string; message: string }
    return { isError: true, content: [], structuredContent: { error: { code, message } } }
  }
}
const codeOf = async (files: string[], more: object = {}) => errorOf((await resize(files, more)) as never).code

test('inputs outside are refused, with the same error whether they exist or not', async () => {
  symlinkSync(join(outside, 'secret.png'), join(root, 'link.png'))
  symlinkSync(outside, join(root, 'folder-link'))
  symlinkSync(join(root, 'loop'), join(root, 'loop'))
  const secret = join(outside, 'secret.png')
  const paths = [
    ...[secret, join(outside, 'missing.png'), relative(root, secret), `a.png/../${relative(root, secret)}`],
    ...['link.png', 'folder-link/secret.png', 'folder-link/missing.png', '/etc/passwd', '~/x.png', 'loop/x.png'],
    ...[pathToFileURL(secret).href, `${root}-other/a.png`, '/proc/self/environ', '/dev/stdin'],
  ]
  for (const path of paths) expect([path, await codeOf([path])]).toEqual([path, 'OUTSIDE_ROOTS'])
  expect(await codeOf(['https://example.com/a.png'])).toBe('URL_REFUSED')
  expect(await codeOf(['a.png\0.txt'])).toBe('VALIDATION_ERROR')
  const extra = { tool: 'image/watermark-image', settings: {}, extra_files: { watermark: secret } }
  expect(await codeOf(['a.png'], extra)).toBe('OUTSIDE_ROOTS')
  await expect(backend.read(pathToFileURL(secret).href)).rejects.toMatchObject({ code: 'OUTSIDE_ROOTS' })
  await expect(backend.read(pathToFileURL(join(root, 'link.png')).href)).rejects.toMatchObject({
    code: 'OUTSIDE_ROOTS',
  })
})

test('a link that stays within the root may be used, and so may an unusual spelling', async () => {
  symlinkSync(join(root, 'a.png'), join(root, 'inner.png'))
  for (const [index, path] of ['inner.png', './x/../a.png', join(root, '.', 'a.png')].entries()) {
    mkdirSync(join(root, 'x'), { recursive: true })
    expect(await codeOf([path], { output_dir: `spelled-${index}` })).toBeUndefined()
  }
})

test('pipes and folders are no files', async () => {
  execFileSync('mkfifo', [join(root, 'pipe.png')])
  expect(await codeOf(['pipe.png'])).toBe('INVALID_FILE')
  expect(await codeOf(['x'])).toBe('IS_A_FOLDER')
  expect(await codeOf([root])).toBe('IS_A_FOLDER')
})

test('outputs stay within: folders outside, links, names with folders, links at the place of the output', async () => {
  const before = readdirSync(outside)
  for (const folder of [outside, relative(root, outside), 'folder-link', 'folder-link/new', '/tmp', join(root, '..')])
    expect([folder, await codeOf(['a.png'], { output_dir: folder })]).toEqual([folder, 'OUTSIDE_ROOTS'])
  for (const name of ['../x.png', 'x/y.png', '..', '.', '..\\x.png'])
    expect([name, await codeOf(['a.png'], { output_name: name })]).toEqual([name, 'VALIDATION_ERROR'])
  symlinkSync(join(outside, 'new.png'), join(root, 'dangling.png'))
  symlinkSync(join(outside, 'secret.png'), join(root, 'planted.png'))
  const secret = readFileSync(join(outside, 'secret.png'))
  for (const name of ['dangling.png', 'planted.png']) {
    expect(await codeOf(['a.png'], { output_name: name })).toBe('OUTPUT_EXISTS')
    expect(await codeOf(['a.png'], { output_name: name, overwrite: true })).toBeUndefined()
    expect(lstatSync(join(root, name)).isFile()).toBe(true)
  }
  expect(readFileSync(join(outside, 'secret.png')).equals(secret)).toBe(true)
  expect(readdirSync(outside)).toEqual(before)
})

test('a pipeline can name no files', async () => {
  const step = 'steps: [{ image/resize: { width: 5 } }]'
  const texts = [
    `${step}\noutput: "${outside}/{stem}.png"`,
    `${step}\noutput: "../{stem}.png"`,
    `${step}\ninputs: ["${outside}/*.png"]`,
    `${step}\nmanifest: ${outside}/m.json`,
    `${step}\nrows: ${outside}/rows.csv`,
    `steps: [{ include: ${outside}/x.yaml }]`,
    `steps: [{ image/watermark-image: {}, with: { watermark: ${outside}/secret.png } }]`,
    `steps: [{ image/watermark-image: { watermark: ${outside}/secret.png } }]`,
  ]
  for (const yaml of texts) {
    const run = backend.runPipeline({ yaml, files: ['a.png'] }, CALL)
    await expect(run, yaml).rejects.toMatchObject({ code: 'INVALID_PIPELINE' })
  }
  const variable = `steps: [{ image/watermark-text: { text: "\${PATH}" } }]`
  const { structuredContent } = await backend.runPipeline({ yaml: variable, explain: true }, CALL)
  expect(JSON.stringify(structuredContent)).not.toContain('/bin')
})

/** Puts a link to the outside at a path, even if the server has just created the folder again. */
function plant(path: string): void {
  for (;;) {
    try {
      symlinkSync(outside, path)
      return
    } catch {
      rmSync(path, { recursive: true, force: true })
    }
  }
}

test('a folder that is swapped for a link during the calls never leads outside', async () => {
  const inner = join(root, 'swap')
  mkdirSync(inner)
  writeFileSync(join(inner, 'secret.png'), 'inside')
  let reads = 0
  for (let turn = 0; turn < 300; turn++) {
    const reading = openFile(roots, join(inner, 'secret.png'), 'x').then(
      async ({ handle }) => {
        const text = await handle.readFile('utf8')
        await handle.close()
        return text
      },
      ({ code }) => code as string,
    )
    const writing = openFolder(roots, inner, 'x').then(
      async (folder) => {
        writeFileSync(folder.at(`w-${turn}`), '')
        await folder.close()
      },
      () => undefined,
    )
    // The swap comes at another step of the walk each time, and sometimes after it.
    for (let steps = turn % 12; steps > 0; steps--) await new Promise((resolve) => setImmediate(resolve))
    if (turn % 5 === 0) await reading
    renameSync(inner, `${inner}-away`)
    plant(inner)
    const text = await reading
    await writing
    expect(['inside', 'OUTSIDE_ROOTS', 'FILE_NOT_FOUND']).toContain(text)
    if (text === 'inside') reads++
    unlinkSync(inner)
    renameSync(`${inner}-away`, inner)
  }
  expect(reads).toBeGreaterThan(0)
  expect(readdirSync(outside)).toEqual(['secret.png'])
})

test('a root that another folder replaces is refused', async () => {
  const own = join(temporaryFolder(), 'root')
  mkdirSync(own)
  const known = [await rootAt(own)]
  renameSync(own, `${own}-away`)
  mkdirSync(own)
  writeFileSync(join(own, 'b.png'), 'x')
  await expect(openFile(known, join(own, 'b.png'), 'b.png')).rejects.toMatchObject({ code: 'OUTSIDE_ROOTS' })
  expect(existsSync(join(own, 'b.png'))).toBe(true)
})
